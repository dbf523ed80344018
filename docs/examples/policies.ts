import { Injectable } from '@nestjs/common';
import {
  OnTaskEvent,
  type TaskClient,
  type TaskContext,
  type TaskEventOf,
  TaskHandler,
  TaskStreamsModule,
} from 'nestjs-task-streams';

export class DeadlockError extends Error {}
export class ShopClosedError extends Error {}

@Injectable()
export class NewsletterHandler {
  // A second click on "send" while the first one is at work, or after it: nothing happens, and the record says so.
  @TaskHandler('newsletter.send', { idempotency: { onDuplicate: 'skip', onInProgress: 'drop' } })
  send(): void {}
}

@Injectable()
export class OrderHandler {
  @TaskHandler('orders.place', {
    retry: {
      // A deadlock passes in an instant: up to twice at once, before the failure counts and is waited for.
      immediateRetries: 2,
      // A shop that is closed is no reason to wake somebody: run again, no attempt counted, no error in the error rate.
      isFailure: (error) => !(error instanceof ShopClosedError),
    },
  })
  async place(): Promise<void> {}
}

export async function sendLoginCode(tasks: TaskClient, to: string, code: string): Promise<void> {
  // A code that comes after five minutes is of no use: not started later than that, and no retry later than ten.
  await tasks.enqueue('mail.login-code', { to, code }, { ttlMs: 300_000, deadlineMs: 600_000 });
}

@Injectable()
export class InvoiceHandler {
  @TaskHandler('invoices.print')
  print(invoice: { readonly total: number }, ctx: TaskContext): void {
    if (invoice.total < 0) return ctx.deadLetter('an invoice below zero', { total: invoice.total });
    if (printer.isBusy) return ctx.release({ delayMs: 5_000 });
    printer.print(invoice);
  }
}

const printer = { isBusy: false, print: (_invoice: object): void => undefined };

/** What tells people, in this example. */
export abstract class Pager {
  abstract page(message: string): Promise<void>;
}

@Injectable()
export class PaymentAlerts {
  constructor(private readonly pager: Pager) {}

  @OnTaskEvent('dead', { task: 'payments.debit' })
  async alert({ taskId, reason, error }: TaskEventOf<'dead'>): Promise<void> {
    await this.pager.page(`Debit ${taskId} was given up (${reason}): ${error?.message ?? ''}`);
  }
}

export const boundedTasks = TaskStreamsModule.forRoot({
  // A partner that is down for hours must not fill Redis: 50 000 may wait, and who sends more waits for a moment.
  queues: { partner: { maxBacklog: 50_000, onFull: 'wait' } },
});
