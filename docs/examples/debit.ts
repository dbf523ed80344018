import { Injectable } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { IsInt, IsUUID, Min } from 'class-validator';
import { defineTask, RetryLaterError, TaskContext, TaskHandler, UnrecoverableError } from 'nestjs-task-streams';

export class Debit {
  @IsUUID()
  readonly transactionId!: string;

  @IsInt()
  @Min(1)
  readonly cents!: number;
}

export interface Debited {
  readonly balance: number;
}

export const debit = defineTask<Debit, Debited>('payments.debit', { queue: 'payments', payload: Debit });

/** What the bank of this example can do. */
export abstract class Bank {
  abstract debit(cents: number, idempotencyKey: string, signal: AbortSignal): Promise<Debited | 'closed' | 'unknown'>;
}

@Injectable()
export class DebitHandler {
  constructor(private readonly bank: Bank) {}

  @TaskHandler(debit, {
    // The same transaction twice, even at the same moment: one debit, and the second task gets the first one's answer.
    idempotency: { key: (payload) => payload.transactionId },
    retry: { attempts: 8, backoff: { type: 'exponential', delayMs: 1_000 } },
    timeoutMs: 20_000,
  })
  async debit(@Payload() { cents }: Debit, @Ctx() ctx: TaskContext): Promise<Debited> {
    const answer = await this.bank.debit(cents, ctx.idempotencyKey, ctx.signal);
    if (answer === 'closed') throw new RetryLaterError({ delayMs: 60_000 });
    if (answer === 'unknown') throw new UnrecoverableError('The bank does not know this account');
    return answer;
  }
}
