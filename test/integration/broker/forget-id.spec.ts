import { describe, expect, it } from 'vitest';

import type { ManualAction } from '../../../libs/task-streams/src/operate/action-log.interface.js';
import { resolveOptions } from '../../../libs/task-streams/src/options/resolve-options.js';
import { QueueControl } from '../../../libs/task-streams/src/operate/queue-control.js';
import { batchOf, die, serviceOf } from '../../support/broker/dead-letters.js';
import { deliver, item, openBroker } from '../../support/broker/open-broker.js';

async function open() {
  const bench = await openBroker();
  const actions: ManualAction[] = [];
  const control = new QueueControl(bench.broker, resolveOptions(), { record: (one) => void actions.push(one) });
  const add = async () => (await bench.broker.inbox.append('q', [item('a')], 'memory')).replies[0];
  return { ...bench, control, actions, add };
}

describe('the id of a task that has ended', () => {
  it('is taken while its dead letter is there, and after it was discarded, until it is forgotten', async () => {
    const { broker, control, actions, add, state } = await open();
    await die(broker, 'q', [item('a')]);
    expect(await control.forgetId('q', 'a')).toEqual({ kind: 'busy', state: 'dead' });
    const { letters } = await broker.deadLetters.list('q', 1, undefined);
    await broker.deadLetters.discard('q', batchOf(letters[0]?.entryId ?? ''));
    expect(await add()).toMatchObject({ kind: 'duplicate', state: 'dead' });
    expect((await state('q')).stream).toEqual([]);

    expect(await control.forgetId('q', 'a', { actor: 'ann', reason: 'by mistake' })).toEqual({
      kind: 'forgotten',
      state: 'dead',
    });

    expect(await add()).toMatchObject({ kind: 'added' });
    expect((await state('q')).stream).toEqual(['a']);
    expect(actions).toEqual([{ action: 'forget-id', queue: 'q', taskId: 'a', actor: 'ann', reason: 'by mistake' }]);
  });

  it.each(['discard', 'purge'] as const)(
    'is free after a %s that is told to forget it, as the audit log says',
    async (how) => {
      const { broker, add, state } = await open();
      const letters = serviceOf(broker);
      await die(broker, 'q', [item('a')]);
      const [{ entryId = '' } = {}] = (await letters.list('q')).letters;
      const why = { reason: 'sent again by hand', forgetId: true };

      if (how === 'discard') await letters.discard('q', entryId, why);
      else await letters.purge('q', {}, { ...why, confirm: 'q' });

      expect((await state('q')).records).toEqual([]);
      expect(await add()).toMatchObject({ kind: 'added' });
      expect((await broker.queues.listActions('q', 1, undefined)).records).toMatchObject([
        { action: `${how}-and-forget-id` },
      ]);
    },
  );

  it('stays with a task that has it again, whatever is forgotten with a letter of before', async () => {
    const { broker, redis, prefix, add, state } = await open();
    await die(broker, 'q', [item('a')]);
    await redis.del(`${prefix}:{q}:t:a`);
    await add();

    await serviceOf(broker).purge('q', {}, { reason: 'test', confirm: 'q', forgetId: true });

    expect(await state('q')).toMatchObject({ stream: ['a'], records: ['a: waiting'] });
  });

  it('is free after a drain as soon as it is forgotten', async () => {
    const { control, add } = await open();
    await add();
    await control.drain('q');

    expect(await add()).toMatchObject({ kind: 'duplicate', state: 'cancelled' });
    expect(await control.forgetId('q', 'a')).toEqual({ kind: 'forgotten', state: 'cancelled' });
    expect(await add()).toMatchObject({ kind: 'added' });
  });

  it('stays with a task that can still run, or is not known', async () => {
    const { broker, control, actions, add, state } = await open();
    await deliver(broker, 'q', item('b'));
    await add();
    await broker.inbox.append('q', [item('d', {}, { delayMs: 60_000 })], 'memory');

    expect(await control.forgetId('q', 'd')).toEqual({ kind: 'busy', state: 'delayed' });
    expect(await control.forgetId('q', 'b')).toEqual({ kind: 'busy', state: 'active' });
    expect(await control.forgetId('q', 'none')).toEqual({ kind: 'unknown', state: undefined });
    expect((await state('q')).records).toHaveLength(3);
    expect(actions.filter(({ action }) => action === 'forget-id')).toEqual([]);
  });
});
