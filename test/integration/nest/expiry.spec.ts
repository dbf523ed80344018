import type { Redis } from 'ioredis';
import { describe, expect, inject, it } from 'vitest';

import { startCaseApp, type CaseApp, type CaseAppInput } from '../../cases/support/case-app.js';
import { openBroker, type BrokerBench } from '../../support/broker/open-broker.js';

const QUEUE = 'q';

function start(bench: BrokerBench, input: Omit<CaseAppInput, 'url' | 'prefix'>): Promise<CaseApp> {
  return startCaseApp({ url: inject('redisUrl'), prefix: bench.prefix, ...input });
}

/** Waits until a millisecond has gone by on the clock of Redis. */
async function nextMillisecond(redis: Redis): Promise<void> {
  const clock = async () => (await redis.time()).map(Number) as [number, number];
  const [seconds, micros] = await clock();
  await expect
    .poll(async () => {
      const [laterSeconds, laterMicros] = await clock();
      return (laterSeconds - seconds) * 1e6 + laterMicros - micros;
    })
    .toBeGreaterThan(2_000);
}

describe('tasks whose time is over', () => {
  it('are set aside as expired and can be redriven, while the others run', async () => {
    const bench = await openBroker();
    const producer = await start(bench, { isProducer: true });
    const { ref } = await producer.client.enqueue('job', { n: 1 }, { id: 'stale', queue: QUEUE, ttlMs: 1 });
    await producer.client.enqueue('job', { n: 2 }, { id: 'fresh', queue: QUEUE, ttlMs: 3_600_000 });
    await nextMillisecond(bench.redis);

    const ran: unknown[] = [];
    const { client, letters } = await start(bench, { tasks: { job: (payload) => ran.push(payload) } });

    await client.result({ queue: QUEUE, id: 'fresh' });
    await expect(client.result(ref)).rejects.toMatchObject({ state: 'dead' });
    const [letter] = (await letters.list(QUEUE)).letters;
    expect(letter).toMatchObject({ taskId: 'stale', reason: 'expired', failedAttempts: 0, body: '{"n":1}' });
    expect(ran).toEqual([{ n: 2 }]);

    await letters.redrive(QUEUE, letter?.entryId ?? '');
    await client.result(ref);
    expect(ran).toEqual([{ n: 2 }, { n: 1 }]);
  });

  it('are dropped where the queue says so: gone but for their record, and their key is free', async () => {
    const bench = await openBroker();
    const producer = await start(bench, { isProducer: true });
    const options = { queue: QUEUE, idempotencyKey: 'key' };
    await producer.client.enqueue('job', {}, { ...options, id: 'stale', deadline: new Date(Date.now() - 1_000) });

    const { client, eventsOf } = await start(bench, {
      tasks: { job: () => 'ran' },
      options: { queues: { [QUEUE]: { onExpired: 'drop' } } },
    });

    await expect(client.result({ queue: QUEUE, id: 'stale' })).rejects.toMatchObject({ state: 'expired' });
    expect(await bench.state(QUEUE)).toEqual({
      stream: [],
      pending: [],
      delayed: [],
      dead: [],
      records: ['stale: expired'],
    });
    expect(await bench.redis.pttl(`${bench.prefix}:{q}:t:stale`)).toBeGreaterThan(0);
    expect(eventsOf('settled').map(({ outcome }) => outcome.kind)).toEqual(['expired']);
    expect(await bench.redis.keys(`${bench.prefix}:{q}:k:*`)).toEqual([]);
    await client.enqueue('job', {}, { ...options, id: 'next' });
    expect(await client.result({ queue: QUEUE, id: 'next' })).toBe('ran');
  });

  it('expire at once where their retry would come too late', async () => {
    const bench = await openBroker();
    const { client } = await start(bench, {
      tasks: { job: () => Promise.reject(new Error('boom')) },
      options: { retry: { backoff: [3_600_000] } },
    });
    const { ref } = await client.enqueue('job', {}, { queue: QUEUE, deadlineMs: 60_000 });
    await expect(client.result(ref)).rejects.toMatchObject({ state: 'dead', error: { message: 'boom' } });
    expect(await bench.state(QUEUE)).toMatchObject({ stream: [], delayed: [] });
  });

  it('count from the end of their delay', async () => {
    const bench = await openBroker();
    const { client } = await start(bench, { tasks: { job: () => 'ran' } });
    const { ref } = await client.enqueue('job', {}, { queue: QUEUE, delayMs: 300, ttlMs: 10_000, deadlineMs: 10_000 });
    expect(await client.result(ref)).toBe('ran');
  });
});
