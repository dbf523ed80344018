import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../src/smoke/until.js';
import type { PartnerState } from '../../src/partner/partner-state.store.js';
import type { TaskView } from '../../src/tasks/task-view.js';
import { startShop, type Shop } from './support/start-shop.js';

const RETRY_MS = 20_000;
const ENDED_MS = 40_000;
const NOTIFICATION = { to: 'ana@example.com', message: 'Your order is on its way.' };

let shop: Shop;

beforeAll(async () => {
  shop = await startShop();
});

afterAll(async () => shop?.stop());

describe('a notification', () => {
  it('to a partner who is down waits longer after each failure, and arrives once the partner is well', async () => {
    const before = await setMode('down');
    const { links } = await shop.client.post('/notifications', NOTIFICATION);
    const waits: number[] = [];
    for (const failures of [1, 2, 3]) {
      const task = await until(`failure ${failures}`, () => waitingAfter(links.self, failures), RETRY_MS);
      expect(task.error).toEqual({ name: 'PartnerError', message: 'The partner is out of order (HTTP 503)' });
      waits.push(new Date(task.nextAttemptAt ?? 0).getTime() - new Date(task.startedAt ?? 0).getTime());
    }
    // Waits of at most 2, 4 and 8 s with equal jitter: half of it to the whole.
    expect(waits[0]).toBeGreaterThanOrEqual(1000);
    expect(waits[1]).toBeGreaterThanOrEqual(2000);
    expect(waits[2]).toBeGreaterThanOrEqual(4000);
    await setMode('up');
    const ended = await shop.client.ended(links.self, ENDED_MS);
    expect(ended).toMatchObject({ state: 'completed', failedAttempts: 3, result: { to: NOTIFICATION.to, attempt: 4 } });
    expect((await shop.client.get<PartnerState>('/partner/mode')).deliveredCount).toBe(before.deliveredCount + 1);
  });

  it('to a flaky partner arrives at the third attempt', async () => {
    await setMode('flaky');
    const { links } = await shop.client.post('/notifications', NOTIFICATION);
    const ended = await shop.client.ended(links.self, ENDED_MS);
    expect(ended).toMatchObject({ state: 'completed', failedAttempts: 2, result: { attempt: 3 } });
    await setMode('up');
  });

  it('to no address is refused at the door', async () => {
    const { status, body } = await shop.client.send<{ errors: string[] }>('POST', '/notifications', {
      body: { to: 'ana@nowhere', message: 'x' },
    });
    expect(status).toBe(400);
    expect(body.errors).toEqual(['to must be an email (it is "ana@nowhere")']);
  });
});

function setMode(mode: PartnerState['mode']): Promise<PartnerState> {
  return shop.client.set<PartnerState>('POST', '/partner/mode', { mode });
}

async function waitingAfter(path: string, failures: number): Promise<TaskView | undefined> {
  const task = await shop.client.get<TaskView>(path);
  return task.state === 'retrying' && task.failedAttempts === failures ? task : undefined;
}
