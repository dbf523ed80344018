import { describe, expect, it, onTestFinished } from 'vitest';

import { EnqueueUncertainError, QueueUnavailableError } from '../../../libs/task-streams/src/task/producer-errors.js';
import { RedisUnavailableError } from '../../../libs/task-streams/src/task/redis-unavailable.error.js';
import { item, openBroker } from '../../support/broker/open-broker.js';
import { startTestRedis } from '../../support/redis-server.js';

/** What a call rejects with. */
async function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
}

describe.each(['memory', 'fsync'] as const)('a broker that closes, with durability %s', (durability) => {
  it('tells who enqueues in typed errors, with the id, while Redis is away and afterwards', async () => {
    const server = await startTestRedis({ appendOnly: true });
    onTestFinished(() => server.stop());
    const { broker } = await openBroker({ enqueueTimeoutMs: 1_500 }, server.url);
    await broker.inbox.append('q', [item('first')], 'memory');
    await server.kill('SIGKILL');
    const waiting = failure(broker.inbox.append('q', [item('a')], durability));
    await broker.server.close();

    const error = await waiting;
    const isTyped = error instanceof QueueUnavailableError || error instanceof EnqueueUncertainError;
    expect(isTyped, String(error)).toBe(true);
    expect(error).toMatchObject({ taskIds: ['a'] });
    const late = await failure(broker.inbox.append('q', [item('b')], durability));
    expect(late).toBeInstanceOf(QueueUnavailableError);
    expect(late).toMatchObject({
      taskIds: ['b'],
      message: expect.stringContaining('this process is stopping') as string,
    });
  });
});

it('tells who asks a broker that is closed in a typed error', async () => {
  const { broker } = await openBroker();
  await broker.server.close();
  expect(await failure(broker.tasks.get('q', 'a'))).toBeInstanceOf(RedisUnavailableError);
});
