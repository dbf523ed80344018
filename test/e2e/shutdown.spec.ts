import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/payments/account.js';
import { until } from '../../src/smoke/until.js';
import type { TaxExport } from '../../src/tax-exports/tax-export-view.js';
import { startShop, type Shop } from './support/start-shop.js';

const STARTED_MS = 30_000;
const ENDED_MS = 90_000;
/** Much less than the export needs. */
const PATIENCE_MS = 500;
const ROWS = 2_000_000;
const CLEAN = { code: 0, signal: null };

let shop: Shop;

beforeAll(async () => {
  shop = await startShop({ workers: 1, env: { SHUTDOWN_TIMEOUT_MS: `${PATIENCE_MS}` } });
});

afterAll(async () => shop?.stop());

describe('a worker that is asked to stop under load', () => {
  it('ends with exit code 0 and loses nothing', async () => {
    const accountId = randomUUID();
    await shop.client.set('PUT', `/payments/accounts/${accountId}`, { balanceCents: 100_000 });
    const send = () =>
      shop.client.post('/payments/debits', { transactionId: randomUUID(), accountId, amountCents: 100 });
    const [stopping] = shop.workers;
    const first = await Promise.all(Array.from({ length: 100 }, send));
    const [exit, ...second] = await Promise.all([stopping?.end('SIGTERM'), ...Array.from({ length: 100 }, send)]);
    expect(exit).toEqual(CLEAN);
    await shop.start('worker');
    const ended = await Promise.all([...first, ...second].map(({ links }) => shop.client.ended(links.self, ENDED_MS)));
    expect(ended.filter(({ state, failedAttempts }) => state !== 'completed' || failedAttempts > 0)).toEqual([]);
    expect(await shop.client.get<Account>(`/payments/accounts/${accountId}`)).toMatchObject({
      balanceCents: 80_000,
      debitCount: 200,
    });
  });

  it('hands back an export that takes longer than its patience; another worker runs it at once', async () => {
    await shop.start('worker');
    const { links } = await shop.client.post('/tax-exports', { year: 2025, rows: ROWS });
    const { workerPid } = await until(
      'progress',
      async () => (await shop.client.get<TaxExport>(links.self)).progress,
      STARTED_MS,
    );
    expect(await shop.workerOf(workerPid).end('SIGTERM')).toEqual(CLEAN);
    const ended = await shop.client.ended<TaxExport>(links.self, ENDED_MS);
    expect(ended).toMatchObject({ state: 'completed', failedAttempts: 0 });
    expect((await shop.client.lines(ended.links.file ?? '')).count).toBe(ROWS + 2);
  });

  it('is followed by a web process that ends as cleanly', async () => {
    expect(await shop.web.end('SIGTERM')).toEqual(CLEAN);
  });
});
