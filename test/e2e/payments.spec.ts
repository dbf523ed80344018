import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/payments/account.js';
import type { Accepted } from '../../src/tasks/accepted.js';
import type { TaskView } from '../../src/tasks/task-view.js';
import { startShop, type Shop } from './support/start-shop.js';

const ENDED_MS = 60_000;

let shop: Shop;

beforeAll(async () => {
  shop = await startShop();
});

afterAll(async () => shop?.stop());

describe('a debit', () => {
  it('that is sent twenty times at the same moment moves the money once, and each gets the one answer', async () => {
    const accountId = await openAccount(10_000);
    const debit = { transactionId: randomUUID(), accountId, amountCents: 700 };
    const accepted = await Promise.all(Array.from({ length: 20 }, () => send(debit)));
    expect(new Set(accepted.map(({ id }) => id)).size).toBe(20);
    const ended = await Promise.all(accepted.map(endOf));
    const answer = { ...debit, outcome: 'debited', balanceCents: 9300 };
    expect(ended.map(({ state, result }) => ({ state, result }))).toEqual(
      Array.from({ length: 20 }, () => ({ state: 'completed', result: answer })),
    );
    expect(await accountOf(accountId)).toEqual({
      id: accountId,
      balanceCents: 9300,
      debitCount: 1,
      debits: [{ transactionId: debit.transactionId, amountCents: 700 }],
    });
  });

  it('that comes again later gets the first answer, although the balance has changed since', async () => {
    const accountId = await openAccount(10_000);
    const debit = { transactionId: randomUUID(), accountId, amountCents: 4000 };
    const first = await endOf(await send(debit));
    await endOf(await send({ transactionId: randomUUID(), accountId, amountCents: 6000 }));
    const again = await endOf(await send(debit));
    expect(again).toMatchObject({ state: 'completed', result: first.result });
    expect(await accountOf(accountId)).toMatchObject({ balanceCents: 0, debitCount: 2 });
  });

  it('that cannot be paid is answered, not failed, and stays refused', async () => {
    const accountId = await openAccount(500);
    const tooMuch = { transactionId: randomUUID(), accountId, amountCents: 501 };
    const refused = {
      state: 'completed',
      failedAttempts: 0,
      result: { outcome: 'insufficient-funds', balanceCents: 500 },
    };
    expect(await endOf(await send(tooMuch))).toMatchObject(refused);
    expect(await endOf(await send(tooMuch))).toMatchObject(refused);
    expect(await accountOf(accountId)).toMatchObject({ balanceCents: 500, debitCount: 0 });
  });

  it('of an account that nobody opened is answered so', async () => {
    const accountId = randomUUID();
    const ended = await endOf(await send({ transactionId: randomUUID(), accountId, amountCents: 1 }));
    expect(ended).toMatchObject({ state: 'completed', result: { outcome: 'unknown-account' } });
    expect((await shop.client.send('GET', `/payments/accounts/${accountId}`)).status).toBe(404);
  });

  it('of another amount under a known transaction id is set aside for people', async () => {
    const accountId = await openAccount(1000);
    const debit = { transactionId: randomUUID(), accountId, amountCents: 100 };
    await endOf(await send(debit));
    const ended = await endOf(await send({ ...debit, amountCents: 900 }));
    expect(ended).toMatchObject({ state: 'dead', error: { name: 'IdempotencyConflictError' } });
    expect(await accountOf(accountId)).toMatchObject({ balanceCents: 900, debitCount: 1 });
  });

  it('without a proper transaction id or amount is refused at the door', async () => {
    const { status, body } = await shop.client.send<{ errors: string[] }>('POST', '/payments/debits', {
      body: { transactionId: '42', amountCents: 0 },
    });
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      'transactionId must be a UUID (it is "42")',
      'amountCents must not be less than 1 (it is 0)',
    ]);
  });
});

describe('many debits while a worker is killed', () => {
  it('are each taken once', async () => {
    const accountId = await openAccount(100_000);
    const accepted = await Promise.all(
      Array.from({ length: 200 }, () => send({ transactionId: randomUUID(), accountId, amountCents: 100 })),
    );
    const [victim] = shop.workers;
    await Promise.all([victim?.end('SIGKILL'), shop.start('worker')]);
    const states = await Promise.all(accepted.map(async (task) => (await endOf(task)).state));
    expect(states.filter((state) => state !== 'completed')).toEqual([]);
    expect(await accountOf(accountId)).toMatchObject({ balanceCents: 80_000, debitCount: 200 });
  });
});

async function openAccount(balanceCents: number): Promise<string> {
  const id = randomUUID();
  await shop.client.set('PUT', `/payments/accounts/${id}`, { balanceCents });
  return id;
}

function accountOf(id: string): Promise<Account> {
  return shop.client.get<Account>(`/payments/accounts/${id}`);
}

function send(debit: object): Promise<Accepted> {
  return shop.client.post('/payments/debits', debit);
}

function endOf({ links }: Accepted): Promise<TaskView> {
  return shop.client.ended(links.self, ENDED_MS);
}
