import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Problem } from '../../src/problems/problem.js';
import { startShop, type Shop } from './support/start-shop.js';

let shop: Shop;

beforeAll(async () => {
  shop = await startShop({ workers: 0, redis: { appendOnly: false } });
});

afterAll(async () => shop?.stop());

describe('a Redis that keeps nothing on disk', () => {
  it('is refused for an export, which must survive a power cut, and the answer says why', async () => {
    const { status, body } = await shop.client.send<Problem>('POST', '/tax-exports', { body: { year: 2025 } });
    expect(status).toBe(503);
    expect(body.code).toBe('TASK_STREAMS_DURABILITY_UNAVAILABLE');
    expect(body.detail).toContain('fsync');
  });

  it('is good enough for a notification', async () => {
    const accepted = await shop.client.post('/notifications', { to: 'ana@example.com', message: 'x' });
    expect(accepted.durability).toEqual({ level: 'memory' });
  });
});
