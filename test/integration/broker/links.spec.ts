import { describe, expect, it } from 'vitest';

import type { Delivery } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import { FRESH_META } from '../../../libs/task-streams/src/task/task-meta.js';
import { batchOf } from '../../support/broker/dead-letters.js';
import { deliver, item, openBroker, takeOver } from '../../support/broker/open-broker.js';
import { completion, deadLetter, retry, settlement } from '../../support/broker/settlements.js';

const HEAD = '2\na\njob\n\nhigh tenant-7\n';
const LINKS = 'parent=report-2026 unique=tenant-7';
const one = (deliveries: readonly Delivery[]) => deliveries[0] as Delivery;

/** A task whose record has links and whose head has a route, as a later release may write them. */
async function linkedTask(options = {}) {
  const bench = await openBroker({ leaseMs: 200, ...options });
  const { broker, redis, prefix } = bench;
  const record = `${prefix}:{q}:t:a`;
  const stream = `${prefix}:{q}:stream`;
  await broker.work.ensure('q');
  const entry = (await redis.xadd(stream, '*', 'head', HEAD, 'body', '{}')) as string;
  await redis.set(record, `waiting 0 ${entry} - 0 0 - 1732900000000 0\njob\n${LINKS}\n`);
  const links = async () => (await redis.get(record))?.split('\n')[2];
  const next = async () => one((await broker.work.turn('q', [], 1)).deliveries);
  return { ...bench, links, next };
}

describe('the links of a task', () => {
  it('outlast retries and progress, and its completion', async () => {
    const { broker, links, next } = await linkedTask();
    const first = await next();
    expect(first).toMatchObject({ taskId: 'a', name: 'job', hasLinks: true });
    await broker.settle('q', [settlement(first, retry(0))]);
    expect(await links()).toBe(LINKS);

    const second = await next();
    await broker.tasks.reportProgress(second, '{"percent":5}');
    expect(await links()).toBe(LINKS);
    expect(second.fields[second.fields.indexOf('head') + 1]).toBe(HEAD);

    expect(await broker.settle('q', [settlement(second, completion())])).toMatchObject([{ kind: 'done' }]);
    expect(await links()).toBe(LINKS);
    expect(await broker.tasks.get('q', 'a')).toMatchObject({ state: 'completed' });
  });

  it('outlast a worker that died', async () => {
    const { broker, another, links, next } = await linkedTask();
    await next();
    const again = one(await takeOver(another(), 'q'));
    expect(again.hasLinks).toBe(true);
    await broker.settle('q', [settlement(again, completion())]);
    expect(await links()).toBe(LINKS);
  });

  it('outlast its dead letter and its redrive', async () => {
    const { broker, links, next } = await linkedTask();
    await broker.settle('q', [settlement(await next(), deadLetter('requested'))]);
    expect(await links()).toBe(LINKS);

    const { letters } = await broker.deadLetters.list('q', 1, undefined);
    const plan = { entryId: letters[0]?.entryId as string, meta: FRESH_META, body: undefined };
    await broker.deadLetters.redrive('q', batchOf(plan), false);
    expect(await links()).toBe(LINKS);
    const again = await next();
    expect(again.hasLinks).toBe(true);
    expect(again.fields[again.fields.indexOf('head') + 1]).toBe(HEAD);
  });

  it('outlast its cancel', async () => {
    const { broker, links } = await linkedTask();
    await broker.tasks.cancel('q', 'a', { reason: 'x', by: 'ann', recordMs: 60_000 });
    expect(await broker.tasks.get('q', 'a')).toMatchObject({ state: 'cancelled' });
    expect(await links()).toBe(LINKS);
  });

  it('outlast a drain, from wherever it takes the task', async () => {
    const { broker, links, next } = await linkedTask();
    await broker.settle('q', [settlement(await next(), retry(60_000))]);
    const bounds = await broker.queues.beginDrain('q', true);
    const step = { bounds, cursor: undefined, reason: 'x', by: 'ann', recordMs: 60_000 };
    await broker.queues.drainStep('q', { ...step, place: 'delayed' });
    expect(await broker.tasks.get('q', 'a')).toMatchObject({ state: 'cancelled' });
    expect(await links()).toBe(LINKS);
  });

  it('are none of a plain task, which its worker can settle without its record', async () => {
    const { broker } = await openBroker();
    const plain = one(await deliver(broker, 'q', item('a')));
    expect(plain.hasLinks).toBeUndefined();
  });
});
