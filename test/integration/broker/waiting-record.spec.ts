import { describe, expect, it } from 'vitest';

import type { Delivery, Settlement } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import type { TestBroker } from '../../support/broker/test-broker.js';
import type { EnqueueItem } from '../../../libs/task-streams/src/task/task-outcome.js';
import { hashPayload } from '../../../libs/task-streams/src/task/payload-hash.js';
import { deliver, item, openBroker, takeOver } from '../../support/broker/open-broker.js';
import { completion, deadLetter, retry, settlement } from '../../support/broker/settlements.js';

const one = (deliveries: readonly Delivery[]) => deliveries[0] as Delivery;
const BY = { reason: 'a wrong year', by: 'ann', recordMs: 60_000 };
const TASK = item('a', { n: 1 });

/** Its hash travels with it. */
const LARGE = { n: 1, text: 'x'.repeat(5_000) };

type Stage = (broker: TestBroker, task: EnqueueItem) => Promise<unknown>;

const added: Stage = (broker, task) => broker.inbox.append('q', [task], 'memory');

function settled(outcome: Settlement['outcome']): Stage {
  return async (broker, task) => broker.settle('q', [settlement(one(await deliver(broker, 'q', task)), outcome)]);
}

const STAGES: readonly (readonly [what: string, state: string, stage: Stage])[] = [
  ['waits', 'waiting', added],
  ['waits for a time', 'delayed', (broker, task) => broker.inbox.append('q', [{ ...task, delayMs: 60_000 }], 'memory')],
  ['runs', 'active', (broker, task) => deliver(broker, 'q', task)],
  [
    'has told how far it is',
    'active',
    async (broker, task) => broker.tasks.reportProgress(one(await deliver(broker, 'q', task)), '1'),
  ],
  ['waits for another try', 'retrying', settled(retry(60_000))],
  ['was handed back', 'waiting', settled({ kind: 'release' })],
  ['is done', 'completed', settled(completion())],
  ['is a dead letter', 'dead', settled(deadLetter('requested'))],
  [
    'was cancelled',
    'cancelled',
    async (broker, task) => [await added(broker, task), await broker.tasks.cancel('q', 'a', BY)],
  ],
  [
    'was drained',
    'cancelled',
    async (broker, task) => {
      await added(broker, task);
      await broker.work.ensure('q');
      const bounds = await broker.queues.beginDrain('q', false);
      await broker.queues.drainStep('q', { place: 'waiting', bounds, cursor: undefined, ...BY });
    },
  ],
];

describe('the record of a task that was never tried', () => {
  it('is its entry and its name', async () => {
    const { broker, redis, prefix } = await openBroker();
    const [reply] = (await broker.inbox.append('q', [TASK], 'memory')).replies;
    const { entryId } = reply as { readonly entryId: string };

    expect(await redis.get(`${prefix}:{q}:t:a`)).toBe(`w${entryId} job`);
    expect(await broker.tasks.get('q', 'a')).toMatchObject({
      state: 'waiting',
      name: 'job',
      entryId,
      enqueuedAt: Number(entryId.split('-')[0]),
    });
    expect(await broker.tasks.list('q', 'waiting', 10, undefined)).toMatchObject({
      tasks: [{ record: { name: 'job' } }],
    });
  });

  it('has the hash of a large payload, which its producer made, so that nobody makes it again', async () => {
    const { broker, redis, prefix } = await openBroker();
    const { replies } = await broker.inbox.append('q', [item('a', LARGE)], 'memory');
    const { entryId } = replies[0] as { readonly entryId: string };

    const hash = hashPayload(JSON.stringify(LARGE));
    const enqueuedAt = (await broker.tasks.get('q', 'a'))?.enqueuedAt;
    expect(await redis.get(`${prefix}:{q}:t:a`)).toBe(`waiting 0 ${entryId} - 0 0 ${hash} ${enqueuedAt} 0\njob\n\n`);
  });
});

describe.each(STAGES)('a task that %s', (_, state, stage) => {
  it.each([
    ['small', { n: 1 }],
    ['large', LARGE],
  ])('is known by its %s payload', async (_size, payload) => {
    const { broker } = await openBroker();
    await stage(broker, item('a', payload));

    const again = await broker.inbox.append('q', [item('a', payload)], 'memory');
    const changed = await broker.inbox.append('q', [item('a', { ...payload, n: 2 })], 'memory');

    expect(again.replies).toMatchObject([{ kind: 'duplicate', state }]);
    expect(changed.replies).toEqual([{ kind: 'conflict' }]);
  });
});

describe('a task whose worker is told its payload hash', () => {
  it.each([
    ['small', { n: 1 }],
    ['large', LARGE],
  ])('has the same at every hand-out of a %s one', async (_size, payload) => {
    const { broker } = await openBroker({ leaseMs: 100 });
    const [first] = await deliver(broker, 'q', item('a', payload));
    const [second] = await takeOver(broker, 'q');
    await broker.settle('q', [settlement(second as Delivery, retry(0))]);
    const [third] = await broker.read('q', 1);

    const hashes = [first, second, third].map((delivery) => delivery?.payloadHash);

    expect(hashes).toEqual(Array.from({ length: 3 }, () => hashPayload(JSON.stringify(payload))));
  });

  it('may have been added by a program that writes the whole record', async () => {
    const { broker, redis, prefix } = await openBroker();
    const entry = (await redis.xadd(`${prefix}:{q}:stream`, '*', 'head', '2\na\njob\n\n', 'body', '{"n":1}')) as string;
    const hash = hashPayload('{"n":1}');
    await redis.set(`${prefix}:{q}:t:a`, `waiting 0 ${entry} - 0 0 ${hash} 1732900000000 0\njob\n\n`);

    expect((await broker.inbox.append('q', [item('a', { n: 2 })], 'memory')).replies).toEqual([{ kind: 'conflict' }]);
    await broker.work.ensure('q');
    expect(await broker.read('q', 1)).toMatchObject([{ payloadHash: hash, enqueuedAt: 1_732_900_000_000 }]);
  });

  it('is added anew, whatever its payload, where its entry was deleted', async () => {
    const { broker, redis, prefix } = await openBroker();
    await added(broker, TASK);
    await redis.del(`${prefix}:{q}:stream`);

    const { replies } = await broker.inbox.append('q', [item('a', { n: 2 })], 'memory');

    expect(replies).toMatchObject([{ kind: 'added', state: 'waiting' }]);
    expect(await redis.xlen(`${prefix}:{q}:stream`)).toBe(1);
  });
});
