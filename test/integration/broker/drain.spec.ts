import { describe, expect, it } from 'vitest';

import type { ManualAction } from '../../../libs/task-streams/src/operate/action-log.interface.js';
import { resolveOptions } from '../../../libs/task-streams/src/options/resolve-options.js';
import { QueueControl } from '../../../libs/task-streams/src/operate/queue-control.js';
import type { TaskStreamsOptions } from '../../../libs/task-streams/src/options/task-streams-options.js';
import { deliver, item, openBroker } from '../../support/broker/open-broker.js';
import { completion, deadLetter, settlement } from '../../support/broker/settlements.js';

const many = (prefix: string, count: number, delayMs = 0) =>
  Array.from({ length: count }, (_, i) => item(`${prefix}${i}`, {}, { delayMs }));

async function open(options: TaskStreamsOptions = {}) {
  const bench = await openBroker(options);
  return { ...bench, control: new QueueControl(bench.broker, resolveOptions(options)) };
}

describe('draining a queue', () => {
  it('cancels what waits, and leaves what runs, what is delayed and other queues alone', async () => {
    const { broker, control, redis, prefix, state } = await open();
    const [running] = await deliver(broker, 'q', item('running'));
    await broker.inbox.append('q', many('w', 450), 'memory');
    await broker.inbox.append('q', many('d', 2, 60_000), 'memory');
    await broker.inbox.append('other', [item('x')], 'memory');

    expect(await control.drain('q', { actor: 'ann', reason: 'sent twice' })).toEqual({
      waiting: 450,
      delayed: 0,
      dead: 0,
    });

    const after = await state('q');
    expect(after).toMatchObject({ stream: ['running'], delayed: ['d0', 'd1'], dead: [] });
    expect(after.records.filter((each) => each.endsWith('cancelled'))).toHaveLength(450);
    expect(await broker.tasks.get('q', 'w7')).toMatchObject({
      state: 'cancelled',
      cancel: { by: 'ann', reason: 'sent twice' },
    });
    expect(await redis.pttl(`${prefix}:{q}:t:w7`)).toBeGreaterThan(0);
    expect((await state('other')).stream).toEqual(['x']);
    expect(await broker.settle('q', [settlement(running as never, completion())])).toEqual([{ kind: 'done' }]);
  });

  it('takes what is delayed too, where it is told to', async () => {
    const { broker, control, redis, prefix, state } = await open();
    await broker.inbox.append('q', many('d', 410, 60_000), 'memory');

    expect(await control.drain('q', { delayed: true })).toEqual({ waiting: 0, delayed: 410, dead: 0 });

    expect(await state('q')).toMatchObject({ stream: [], delayed: [] });
    expect(await redis.keys(`${prefix}:{q}:d:*`)).toEqual([]);
    expect(await broker.tasks.get('q', 'd0')).toMatchObject({
      state: 'cancelled',
      cancel: { reason: 'the queue was drained' },
    });
  });

  it('of a queue that is not there removes nothing', async () => {
    const { control } = await open();

    expect(await control.drain('q', { delayed: true })).toEqual({ waiting: 0, delayed: 0, dead: 0 });
  });
});

describe('what is done to a queue by hand', () => {
  it('is told to the action log, with who, why and how many, and only where something changed', async () => {
    const { broker } = await openBroker();
    const actions: ManualAction[] = [];
    const control = new QueueControl(broker, resolveOptions(), { record: (action) => void actions.push(action) });
    await broker.inbox.append('q', [item('a')], 'memory');

    await control.pause('q', { actor: 'ann', reason: 'a test' });
    await control.pause('q', { actor: 'bob' });
    await control.drain('q', { actor: 'ann' });
    await control.resume('q');

    expect(actions).toEqual([
      { action: 'pause', queue: 'q', actor: 'ann', reason: 'a test' },
      {
        action: 'drain',
        queue: 'q',
        actor: 'ann',
        reason: 'the queue was drained',
        counts: { waiting: 1, delayed: 0, dead: 0 },
      },
      { action: 'resume', queue: 'q', actor: undefined, reason: undefined },
    ]);
  });

  it('is done even where the log fails', async () => {
    const { broker } = await openBroker();
    const control = new QueueControl(broker, resolveOptions(), { record: () => Promise.reject(new Error('no disk')) });

    expect(await control.pause('q')).toBe(true);
  });
});

describe('purging a queue', () => {
  it('wants its name once more', async () => {
    const { broker, control, state } = await open();
    await broker.inbox.append('q', [item('a')], 'memory');

    await expect(control.purge('q', { confirm: 'yes' })).rejects.toMatchObject({ code: 'TASK_STREAMS_USAGE' });
    await expect(control.purge('q', undefined as never)).rejects.toMatchObject({ code: 'TASK_STREAMS_USAGE' });

    expect((await state('q')).stream).toEqual(['a']);
  });

  it('removes what waits, what is delayed and what is dead, and all that is known of it, and not what runs', async () => {
    const { broker, control, state } = await open();
    const [dead, running] = await deliver(broker, 'q', item('dead'), item('running'));
    await broker.settle('q', [settlement(dead as never, deadLetter('timeout'))]);
    await broker.inbox.append('q', [item('w'), item('d', {}, { delayMs: 60_000 })], 'memory');

    expect(await control.purge('q', { confirm: 'q' })).toEqual({ waiting: 1, delayed: 1, dead: 1 });

    expect(await state('q')).toMatchObject({
      stream: ['running'],
      delayed: [],
      dead: [],
      records: ['running: active'],
    });
    expect(await broker.settle('q', [settlement(running as never, completion())])).toEqual([{ kind: 'done' }]);
  });
});
