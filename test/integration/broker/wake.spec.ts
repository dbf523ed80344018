import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { describe, expect, it, onTestFinished } from 'vitest';

import type { ClaimReply } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import { item, openBroker } from '../../support/broker/open-broker.js';
import { completion, deadLetter, retry, settlement } from '../../support/broker/settlements.js';
import { startTestRedis } from '../../support/redis-server.js';

const HEAD = '2\nby-hand\njob\n\n\n';
const BY = { by: 'ann', reason: 'a test' };

/** A queue on a server of its own, where nobody else waits. */
async function ownQueue(options = {}) {
  const server = await startTestRedis();
  onTestFinished(() => server.stop());
  const bench = await openBroker({ timing: { blockMs: 60_000 }, ...options }, server.url);
  await bench.broker.work.ensure('q');
  return { ...bench, wake: `${bench.prefix}:{q}:wake`, stream: `${bench.prefix}:{q}:stream` };
}

async function waiterCount(redis: Redis): Promise<number> {
  return String(await redis.client('LIST')).match(/cmd=blpop/g)?.length ?? 0;
}

const idsOf = (replies: readonly ClaimReply[]) =>
  replies.flatMap(({ deliveries }) => deliveries.map(({ taskId }) => taskId)).toSorted();

describe('idle workers', () => {
  it('are woken one for one task, and one after the other for more', async () => {
    const { broker, another, redis } = await ownQueue();
    const replies: ClaimReply[] = [];
    for (let i = 0; i < 20; i += 1)
      void another()
        .work.wait('q')
        .then(
          (reply) => replies.push(reply),
          () => undefined,
        );
    await expect.poll(() => waiterCount(redis)).toBe(20);

    await broker.inbox.append('q', [item('a')], 'memory');
    await expect.poll(() => idsOf(replies)).toEqual(['a']);
    expect(await waiterCount(redis)).toBe(19);

    await broker.inbox.append('q', [item('b'), item('c'), item('d')], 'memory');
    await expect.poll(() => idsOf(replies)).toEqual(['a', 'b', 'c', 'd']);
    // Nobody was woken for nothing.
    expect(await waiterCount(redis)).toBe(16);
    expect(replies).toHaveLength(4);
  });

  it('are woken by a retry, by what is due, by a follow-up and by a redrive', async () => {
    const { broker, another } = await ownQueue();
    const next = async () => {
      const { deliveries } = await another().work.wait('q');
      expect(deliveries).toHaveLength(1);
      return deliveries[0] as (typeof deliveries)[0];
    };
    await broker.inbox.append('q', [item('a')], 'memory');
    await broker.settle('q', [settlement(await next(), retry(0))]);
    const waiting = next();
    const again = await waiting;
    await broker.settle('q', [settlement(again, retry(1))]);
    const due = next();
    await expect.poll(async () => (await broker.work.look('q')).promotedCount).toBe(1);
    const followUp = { queue: 'q', item: item('b') };
    await broker.settle('q', [settlement(await due, completion('null', [followUp]))]);
    const child = await next();
    expect(child.taskId).toBe('b');
    await broker.settle('q', [settlement(child, deadLetter('requested'))]);
  });

  it('leave one mark behind, however much waits', async () => {
    const { broker, redis, wake } = await ownQueue();
    for (let i = 0; i < 50; i += 1) await broker.inbox.append('q', [item(`a${i}`), item(`b${i}`)], 'memory');
    expect(await redis.llen(wake)).toBe(1);
    // A worker that is not idle takes what it likes, and the mark stays for those that are.
    expect((await broker.work.turn('q', [], 10)).deliveries).toHaveLength(10);
    expect(await redis.llen(wake)).toBe(1);
  });

  it('find a task whose mark was lost when their wait is over', async () => {
    const { broker, redis, wake } = await ownQueue({ timing: { blockMs: 300 } });
    await broker.inbox.append('q', [item('a')], 'memory');
    await redis.del(wake);
    expect(idsOf([await broker.work.wait('q')])).toEqual(['a']);
  });

  it('find what another program has added, at once where it has left a mark', async () => {
    const { broker, redis, wake, stream } = await ownQueue({ timing: { blockMs: 300 } });
    const late = broker.work.wait('q');
    await redis.xadd(stream, '*', 'head', HEAD, 'body', '1');
    expect(idsOf([await late])).toEqual(['by-hand']);

    const patient = await ownQueue();
    const waiting = patient.broker.work.wait('q');
    await expect.poll(() => waiterCount(patient.redis)).toBe(1);
    await patient.redis.multi().xadd(patient.stream, '*', 'head', HEAD, 'body', '1').lpush(patient.wake, '1').exec();
    expect(idsOf([await waiting])).toEqual(['by-hand']);
    expect(await redis.exists(wake)).toBe(0);
  });

  it('wait for no more than a quarter of their lease, so that most of it is left for what they get', async () => {
    const { broker } = await ownQueue({ leaseMs: 400 });
    const begin = performance.now();
    expect(idsOf([await broker.work.wait('q')])).toEqual([]);
    const tookMs = performance.now() - begin;
    expect(tookMs).toBeGreaterThan(50);
    expect(tookMs).toBeLessThan(5_000);
  });

  it('tell when the lease of what they get began: when their wait was sent', async () => {
    const { broker, redis } = await ownQueue();
    const begin = performance.now();
    const waiting = broker.work.wait('q');
    await expect.poll(() => waiterCount(redis)).toBe(1);
    const blockedAt = performance.now();
    await broker.inbox.append('q', [item('a')], 'memory');
    const { sentAt } = await waiting;
    expect(sentAt).toBeGreaterThanOrEqual(begin);
    expect(sentAt).toBeLessThanOrEqual(blockedAt);
  });

  it('make the group again where it was deleted with its stream while they waited', async () => {
    const { broker, redis, stream } = await ownQueue({ timing: { blockMs: 200 } });
    const waiting = broker.work.wait('q');
    await redis.del(stream);
    await expect(waiting).rejects.toThrow(/NOGROUP/);
  });
});

describe('the door of a paused queue', () => {
  it('is closed from the pause on, for turns and for waits, and opens with the resume', async () => {
    const { broker, redis } = await ownQueue({ timing: { blockMs: 300 } });
    await broker.queues.pause('q', BY);
    await broker.inbox.append('q', [item('a')], 'memory');
    expect((await broker.work.turn('q', [], 5)).deliveries).toEqual([]);
    expect(idsOf([await broker.work.wait('q')])).toEqual([]);

    // A worker that has not heard of it wakes once for the mark, and then waits.
    const calls = async () => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]);
    const before = await calls();
    await broker.work.wait('q');
    await sleep(50);
    expect((await calls()) - before).toBe(1);

    const waiting = broker.work.wait('q');
    await expect.poll(() => waiterCount(redis)).toBe(1);
    await broker.queues.resume('q');
    expect(idsOf([await waiting])).toEqual(['a']);
  });
});
