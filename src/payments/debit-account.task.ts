import { IsInt, IsUUID, Matches, Max, Min } from 'class-validator';
import { defineTask } from 'nestjs-task-streams';
import { ACCOUNT_ID } from './account.js';

const MAX_AMOUNT_CENTS = 10_000_000;

/** The body of the request and the payload of the task. */
export class DebitAccount {
  /** Chosen by whoever wants the money: the same id is the same debit, however often it is sent. */
  @IsUUID()
  readonly transactionId!: string;

  @Matches(ACCOUNT_ID)
  readonly accountId: string = 'demo';

  @IsInt()
  @Min(1)
  @Max(MAX_AMOUNT_CENTS)
  readonly amountCents!: number;
}

/**
 * What a debit came to. A refusal is an answer, not a failure: the task is completed with it, and the same transaction
 * gets it again. A customer without money is nothing an operator could mend, so it is no dead letter, and trying again
 * would not help, so it is no error. Whoever wants to try again later does so under a new transaction id.
 */
export interface DebitAnswer {
  readonly transactionId: string;
  readonly accountId: string;
  readonly amountCents: number;
  readonly outcome: 'debited' | 'unknown-account' | 'insufficient-funds';
  /** The balance after the debit, or the one that was not enough; absent for an unknown account. */
  readonly balanceCents?: number;
}

export const debitAccount = defineTask<DebitAccount, DebitAnswer>('payments.debit', {
  queue: 'payments',
  payload: DebitAccount,
});
