import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../src/problems/problem.js';
import { until } from '../../src/smoke/until.js';
import { startShop, type Shop } from './support/start-shop.js';

const RECOVERED_MS = 30_000;
const ENDED_MS = 30_000;

let shop: Shop;

interface Health {
  readonly status: string;
  readonly error?: { readonly tasks?: { readonly problems: readonly string[] } };
}

beforeAll(async () => {
  shop = await startShop({ workers: 1, beforeStart: (redis) => redis.kill('SIGKILL') });
});

afterAll(async () => shop?.stop());

describe('a shop whose Redis is down when it starts', () => {
  it('runs, is live, and says that it is not ready', async () => {
    expect((await shop.client.send('GET', '/')).status).toBe(200);
    expect((await shop.client.send('GET', '/health/live')).status).toBe(200);
    const { status, body } = await shop.client.send<Health>('GET', '/health/ready');
    expect(status).toBe(503);
    expect(body.error?.tasks?.problems.join()).toContain('Redis');
  });

  // Side by side: each waits for a deadline.
  it.concurrent.each([
    ['POST', '/tax-exports', { year: 2025 }],
    ['POST', '/notifications', { to: 'ana@example.com', message: 'x' }],
    ['GET', '/tax-exports/reports~0~x', undefined],
    ['GET', '/dead-letters?queue=reports', undefined],
    ['GET', '/payments/accounts/demo', undefined],
  ])('answers %s %s with 503, when to try again, and why', async (method, path, body) => {
    const reply = await shop.client.send<Problem>(method, path, { body });
    expect(reply.body).toMatchObject({ status: 503, code: expect.stringMatching(/_UNAVAILABLE$/) as string });
    expect(reply.headers.get('retry-after')).toBe('5');
  });

  it('works as soon as Redis is there', async () => {
    await shop.redis.restart();
    await until('readiness', () => shop.client.get<Health>('/health/ready'), RECOVERED_MS);
    const { links } = await shop.client.post('/tax-exports', { year: 2025, rows: 100 });
    expect(await shop.client.ended(links.self, ENDED_MS)).toMatchObject({ state: 'completed', deliveryCount: 1 });
  });

  it('goes on after Redis was away for a while', async () => {
    await shop.redis.kill('SIGKILL');
    await until('the health check to notice', async () => (await ready()) === 503 || undefined, RECOVERED_MS);
    await shop.redis.restart();
    await until('readiness', async () => (await ready()) === 200 || undefined, RECOVERED_MS);
    const { links } = await shop.client.post('/tax-exports', { year: 2024, rows: 100 });
    expect(await shop.client.ended(links.self, ENDED_MS)).toMatchObject({ state: 'completed' });
  });
});

async function ready(): Promise<number> {
  return (await shop.client.send('GET', '/health/ready')).status;
}
