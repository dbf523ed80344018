import { expect, it, onTestFinished } from 'vitest';

import type { TestBroker } from '../../support/broker/test-broker.js';
import type { Settlement } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import type { EnqueueItem } from '../../../libs/task-streams/src/task/task-outcome.js';
import { deliver, item, openBroker } from '../../support/broker/open-broker.js';
import { completion, deadLetter, settlement } from '../../support/broker/settlements.js';
import { startTestRedis } from '../../support/redis-server.js';

const COUNT = 5_000;
const BATCH = 100;
const HOUR = 3_600_000;

/** 200 bytes as JSON. */
const BODY = { text: 'x'.repeat(189) };
const RESULT = completion(`"${'x'.repeat(98)}"`);

/** Makes a batch of tasks. */
type Fill = (broker: TestBroker, from: number) => Promise<unknown>;

/** A batch of tasks with a UUID each. */
function tasks(from: number, delayMs = 0): EnqueueItem[] {
  return Array.from({ length: BATCH }, (_, i) =>
    item(`0193b2c4-7d1e-7000-8000-${String(from + i).padStart(12, '0')}`, BODY, { delayMs }),
  );
}

function appended(delayMs = 0): Fill {
  return (broker, from) => broker.inbox.append('q', tasks(from, delayMs), 'memory');
}

function settled(outcome: Settlement['outcome']): Fill {
  return async (broker, from) => {
    const deliveries = await deliver(broker, 'q', ...tasks(from));
    const settlements = deliveries.map((delivery) => settlement(delivery, outcome));
    await broker.settle('q', settlements);
  };
}

// docs/performance.md has a table of what each costs.
it.each<[what: string, most: number, fill: Fill]>([
  ['that waits', 460, appended()],
  ['that is delayed', 820, appended(HOUR)],
  ['that is done, without a result', 360, settled(completion())],
  ['that is done, with a result of 100 bytes', 440, settled(RESULT)],
  ['that is a dead letter', 1_130, settled(deadLetter('attempts-exhausted'))],
])('a task of 200 bytes %s takes less than %i, with every key that helps', async (_, most, fill) => {
  // A server of its own: what others write meanwhile would be counted too.
  const server = await startTestRedis();
  onTestFinished(() => server.stop());
  const { broker, redis } = await openBroker({}, server.url);
  const used = async () => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);
  // Scripts and the buffers of connections are not what a task costs.
  await fill(broker, 0);
  const before = await used();

  for (let from = BATCH; from < BATCH + COUNT; from += BATCH) await fill(broker, from);

  expect(((await used()) - before) / COUNT).toBeLessThan(most);
});
