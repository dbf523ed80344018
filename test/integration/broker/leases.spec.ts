import { describe, expect, it } from 'vitest';

import type { Delivery } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import { loadScript } from '../../../libs/task-streams/src/redis/connection/load-script.js';
import type { TestBroker } from '../../support/broker/test-broker.js';
import { deliver, item, openBroker, takeOver } from '../../support/broker/open-broker.js';

const one = (deliveries: readonly Delivery[]) => deliveries[0] as Delivery;
const beat = (broker: TestBroker) => broker.work.renew('q', []);

/** Runs a step every so many milliseconds until so much time is over. */
async function during(ms: number, everyMs: number, step: () => Promise<unknown>): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end;) {
    await step();
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

describe('the lease of a delivery', () => {
  it('is as long as its worker says, whatever lease the sweeping worker has', async () => {
    const { broker, another } = await openBroker({ leaseMs: 60_000 });
    await beat(broker);
    await deliver(broker, 'q', item('long'));
    const brief = another({ leaseMs: 200 });
    await brief.inbox.append('q', [item('brief')], 'memory');
    await brief.read('q', 1);

    const reclaimed = await takeOver(another({ leaseMs: 100 }), 'q');

    expect(reclaimed).toMatchObject([{ taskId: 'brief', deliveryCount: 2 }]);
  });

  it('is judged by its own length by a worker with a longer one', async () => {
    const { broker, another } = await openBroker({ leaseMs: 200 });
    await deliver(broker, 'q', item('a'));

    expect(await takeOver(another({ leaseMs: 60_000 }), 'q')).toMatchObject([{ taskId: 'a' }]);
  });

  it('is not used up by a silence, for a living worker has the time to renew it', async () => {
    const { broker, another } = await openBroker({ leaseMs: 1_000 });
    const other = another();
    await beat(broker);
    const delivery = one(await deliver(broker, 'q', item('a')));
    await during(600, 100, () => beat(other));
    // Nobody is heard of for two leases.
    await new Promise((resolve) => setTimeout(resolve, 2_000));

    const { deliveries, graceMs } = await other.work.reclaim('q', 10, '0-0');

    expect(deliveries).toEqual([]);
    expect(graceMs).toBeGreaterThan(500);
    expect(await broker.work.renew('q', [{ owner: delivery, keyScope: undefined }])).toEqual([true]);
  });

  it('is not used up where Redis stood still in the middle of the very sweep that judges it', async () => {
    const { broker, another, redis, prefix } = await openBroker({ leaseMs: 500 });
    const other = another();
    const delivery = one(await deliver(broker, 'q', item('a')));
    // Workers have been heard for long: there was no silence.
    await redis.set(`${prefix}:{q}:heartbeat`, `${Date.now()} 500`);
    // A server that reads its clock once a script cannot be caught like this: there it stands still for a while, and no more.
    const { text } = loadScript('reclaim');
    const stands =
      "do local till, n = tonumber(redis.call('TIME')[1]) + 2, 0\n" +
      "repeat n = n + 1 until tonumber(redis.call('TIME')[1]) >= till or n == 3000000 end\n";
    const look = "local rows = call('XPENDING'";
    expect(text).toContain(look);
    const args = [other.workerName, 10, 'other.1.500', 500, '0-0', other.workerName, 2, 60_000];

    const reply = (await redis.eval(
      text.replace(look, stands + look),
      1,
      `${prefix}:{q}:stream`,
      ...args,
    )) as readonly [string, readonly unknown[]];

    expect(reply[1]).toEqual([]);
    expect(await broker.work.renew('q', [{ owner: delivery, keyScope: undefined }])).toEqual([true]);
  });

  it('ends for an orphan although handlers keep the only worker silent for more than half a lease each time', async () => {
    const { broker, another } = await openBroker({ leaseMs: 300 });
    await beat(broker);
    await deliver(broker, 'q', item('orphan'));
    const busy = another();
    const reclaimed: Delivery[] = [];

    const startedAt = performance.now();
    while (reclaimed.length === 0 && performance.now() - startedAt < 8_000) {
      await new Promise((resolve) => setTimeout(resolve, 180));
      await beat(busy);
      reclaimed.push(...(await busy.work.reclaim('q', 10, '0-0')).deliveries);
    }

    expect(reclaimed).toMatchObject([{ taskId: 'orphan', deliveryCount: 2 }]);
  });

  it('begins anew for what a blocking read has handed over, when it is claimed', async () => {
    const { broker, redis, prefix } = await openBroker({ leaseMs: 60_000 });
    await broker.inbox.append('q', [item('a')], 'memory');
    await broker.work.ensure('q');
    const stream = `${prefix}:{q}:stream`;
    await redis.xreadgroup('GROUP', 'workers', broker.workerName, 'COUNT', 1, 'STREAMS', stream, '>');
    const [[entry] = []] = (await redis.xrange(stream, '-', '+')) as [string, string[]][];
    await redis.xclaim(stream, 'workers', broker.workerName, 0, entry as string, 'IDLE', 50_000, 'JUSTID');

    expect((await broker.work.recover('q', new Set(), 1)).deliveries).toMatchObject([
      { taskId: 'a', deliveryCount: 1 },
    ]);

    const [row] = (await redis.xpending(stream, 'workers', '-', '+', 1)) as [string, string, number, number][];
    expect(row?.[2]).toBeLessThan(10_000);
  });

  it('is found in a long list of living deliveries, a part at a time', async () => {
    const { broker, another } = await openBroker({ leaseMs: 60_000 });
    await beat(broker);
    await deliver(broker, 'q', ...Array.from({ length: 150 }, (_, i) => item(`alive-${i}`)));
    const brief = another({ leaseMs: 100 });
    await brief.inbox.append('q', [item('orphan')], 'memory');
    await brief.read('q', 1);

    const found: Delivery[] = [];
    let cursor = '0-0';
    await expect
      .poll(async () => {
        const reply = await broker.work.reclaim('q', 5, cursor);
        cursor = reply.cursor;
        found.push(...reply.deliveries);
        return found;
      })
      .toMatchObject([{ taskId: 'orphan' }]);
  });
});
