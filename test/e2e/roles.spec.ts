import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../scripts/redis/index.mjs';
import { ShopClient } from '../../src/smoke/shop-client.js';
import { startShop, type Shop } from './support/start-shop.js';

const ENDED_MS = 30_000;

let shop: Shop;

beforeAll(async () => {
  shop = await startShop({ workers: 0 });
});

afterAll(async () => shop?.stop());

describe('a process of the shop', () => {
  it('is web and worker at once in the role "both"', async () => {
    const port = await freePort();
    const both = await shop.start('both', { PORT: `${port}` });
    const client = new ShopClient(`http://127.0.0.1:${port}`);
    const { links } = await client.post('/tax-exports', { year: 2025, rows: 10 });
    expect(await client.ended(links.self, ENDED_MS)).toMatchObject({ state: 'completed' });
    const poison = await client.post('/notifications/poison');
    expect(await client.ended(poison.links.self, ENDED_MS)).toMatchObject({ state: 'dead' });
    expect(await both.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('answers nothing but its health in the role "worker", and that only on a port it was given', async () => {
    const port = await freePort();
    const worker = await shop.start('worker', { HEALTH_PORT: `${port}` });
    const client = new ShopClient(`http://127.0.0.1:${port}`);
    expect((await client.send('GET', '/health/live')).status).toBe(200);
    expect((await client.send('GET', '/health/ready')).status).toBe(200);
    expect((await client.send('GET', '/')).status).toBe(404);
    expect((await client.send('POST', '/notifications/poison')).status).toBe(404);
    expect(await worker.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });

  it('does not start with a variable it cannot use, and names the variable, its value and the rule', async () => {
    await expect(shop.start('worker', { TASK_LEASE_MS: 'soon' })).rejects.toThrow(
      /TASK_LEASE_MS=soon: TASK_LEASE_MS must .*an integer number/,
    );
  });
});
