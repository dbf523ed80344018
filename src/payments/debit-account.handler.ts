import { Injectable } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { TaskHandler, UnrecoverableError } from 'nestjs-task-streams';
import { DebitAccount, debitAccount, type DebitAnswer } from './debit-account.task.js';
import { LedgerStore } from './ledger.store.js';

/**
 * Takes money from accounts. The key keeps tasks with one transaction id from running twice, side by side or one after
 * the other: the second is completed with the answer of the first. The ledger's own control row holds where the key
 * cannot: when a worker dies between the debit and the settlement, and after the key has expired.
 */
@Injectable()
export class DebitAccountHandler {
  constructor(private readonly ledger: LedgerStore) {}

  @TaskHandler(debitAccount, { idempotency: { key: (debit) => debit.transactionId } })
  async run(@Payload() debit: DebitAccount): Promise<DebitAnswer> {
    const answer = await this.ledger.debit(debit);
    if (answer.accountId !== debit.accountId || answer.amountCents !== debit.amountCents) {
      throw new UnrecoverableError(
        `Transaction ${debit.transactionId} was decided before for ${answer.amountCents} cents of ${answer.accountId}, ` +
          `not ${debit.amountCents} of ${debit.accountId}: use a new transaction id for a new debit.`,
      );
    }
    return answer;
  }
}
