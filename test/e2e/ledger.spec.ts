import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { AppConfig } from '../../src/config/app-config.js';
import { DebitAccountHandler } from '../../src/payments/debit-account.handler.js';
import type { DebitAccount } from '../../src/payments/debit-account.task.js';
import { LedgerStore } from '../../src/payments/ledger.store.js';
import { ShopStore } from '../../src/store/shop-store.js';

const store = new ShopStore(Object.assign(new AppConfig(), { REDIS_URL: inject('redisUrl') }));
const ledger = new LedgerStore(store);
const handler = new DebitAccountHandler(ledger);

let debit: DebitAccount;

beforeEach(async () => {
  debit = { transactionId: randomUUID(), accountId: randomUUID(), amountCents: 700 };
  await ledger.open(debit.accountId, 1000);
});

afterAll(() => store.onApplicationShutdown());

describe('the ledger, without the library in front of it', () => {
  it('takes the money once when the task is run again, as after a worker that died before it could settle', async () => {
    const first = await handler.run(debit);
    const again = await handler.run(debit);
    expect(first).toEqual({ ...debit, outcome: 'debited', balanceCents: 300 });
    expect(again).toEqual(first);
    expect(await ledger.find(debit.accountId)).toMatchObject({ balanceCents: 300, debitCount: 1 });
  });

  it('takes the money once when two workers run the task side by side', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => handler.run(debit)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await ledger.find(debit.accountId)).toMatchObject({ balanceCents: 300, debitCount: 1 });
  });

  it('refuses another amount under a known transaction id', async () => {
    await handler.run(debit);
    await expect(handler.run({ ...debit, amountCents: 1 })).rejects.toThrow(
      `Transaction ${debit.transactionId} was decided before for 700 cents`,
    );
    expect(await ledger.find(debit.accountId)).toMatchObject({ balanceCents: 300, debitCount: 1 });
  });

  it('never takes more than there is, whoever asks at the same moment', async () => {
    const debits = Array.from({ length: 20 }, () => ({ ...debit, transactionId: randomUUID(), amountCents: 300 }));
    const outcomes = await Promise.all(debits.map(async (one) => (await handler.run(one)).outcome));
    expect(outcomes.filter((outcome) => outcome === 'debited')).toHaveLength(3);
    expect(await ledger.find(debit.accountId)).toMatchObject({ balanceCents: 100, debitCount: 3 });
  });

  it('opens an account once', async () => {
    await ledger.open(debit.accountId, 5);
    expect(await ledger.find(debit.accountId)).toMatchObject({ balanceCents: 1000 });
  });
});
