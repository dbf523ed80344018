import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Account } from '../../payments/account.js';
import { expectThat, type Step } from '../step.js';

const ENDED_MS = 60_000;

export const doubleDebitStep: Step = {
  promise: 'a debit that is sent twice at the same moment moves the money once and gives one answer',
  check: async ({ shop }) => {
    const accountId = randomUUID();
    await shop.set<Account>('PUT', `/payments/accounts/${accountId}`, { balanceCents: 10_000 });
    const debit = { transactionId: randomUUID(), accountId, amountCents: 1999 };
    const accepted = await Promise.all([shop.post('/payments/debits', debit), shop.post('/payments/debits', debit)]);
    expectThat(accepted[0].id !== accepted[1].id, 'two tasks', accepted);
    const [first, second] = await Promise.all([
      shop.ended(accepted[0].links.self, ENDED_MS),
      shop.ended(accepted[1].links.self, ENDED_MS),
    ]);
    expectThat(first.state === 'completed' && second.state === 'completed', 'two completed tasks', [first, second]);
    expectThat(isDeepStrictEqual(first.result, second.result), 'one answer', [first.result, second.result]);
    const account = await shop.get<Account>(`/payments/accounts/${accountId}`);
    expectThat(account.balanceCents === 8001 && account.debitCount === 1, 'one debit of 19.99', account);
    return `balance ${account.balanceCents} cents after ${JSON.stringify(first.result)}`;
  },
};
