import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../libs/task-streams/src/contracts/work-store.interface.js';
import { deliver, item } from '../support/broker/open-broker.js';
import { completion, settlement } from '../support/broker/settlements.js';
import { openDesk, type Desk } from './support/open-desk.js';

const KEY = { idempotencyKey: 'order 17' };
const FORGET = ['tasks', 'forget-key', 'q', 'job', 'order 17', '--yes'];
const done = { ...completion('1'), key: { scope: 'job/order 17', ttlMs: 60_000, hash: '-' } };

async function hold(desk: Desk, id: string): Promise<Delivery> {
  const [delivery] = await deliver(desk.broker, 'q', item(id, 1, KEY));
  return delivery as Delivery;
}

describe('tasks forget-key', () => {
  it('forgets what is done, so that the key is free, and the audit log says by whom', async () => {
    const desk = await openDesk();
    await desk.broker.settle('q', [settlement(await hold(desk, 'a'), done)]);
    expect(await hold(desk, 'b')).toMatchObject({ keyClaim: { kind: 'replay' } });

    const forgotten = await desk.run([...FORGET, '--because', 'the bank took it back']);

    expect(forgotten).toMatchObject({
      code: 0,
      stdout: 'It is forgotten: the next task "job" with the key "order 17" runs.\n',
      stderr: '',
    });
    expect(await hold(desk, 'c')).toMatchObject({ keyClaim: { kind: 'won' } });
    expect((await desk.run(['audit', 'ls', 'q', '--json'])).json()).toMatchObject({
      records: [
        {
          action: 'forget-key',
          actor: 'spec',
          reason: 'the bank took it back',
          scope: { task: 'job', key: 'order 17' },
        },
      ],
    });
  });

  it('says no to a key that a task holds, and to one that nobody knows', async () => {
    const desk = await openDesk();
    const unknown = await desk.run(FORGET);
    expect(unknown).toMatchObject({ code: 1, stdout: '' });
    expect(unknown.stderr).toMatch(/^error: Task "job" with the key "order 17" in queue "q" is not remembered: .*\n$/);

    await hold(desk, 'a');
    const busy = await desk.run(FORGET);
    expect(busy).toMatchObject({ code: 1, stdout: '' });
    expect(busy.stderr).toMatch(/^error: Task "job" with the key "order 17" .* runs, and keeps its key: .*\n$/);
    expect(await hold(desk, 'b')).toMatchObject({ keyClaim: { kind: 'busy' } });
  });

  it('answers as JSON what became of it, whatever it was', async () => {
    const desk = await openDesk();
    const answer = { queue: 'q', task: 'job', key: 'order 17' };
    const kinds = async () => {
      const result = await desk.run([...FORGET, '--json']);
      return { code: result.code, ...result.json<object>() };
    };

    expect(await kinds()).toEqual({ code: 1, ...answer, kind: 'unknown' });
    const held = await hold(desk, 'a');
    expect(await kinds()).toEqual({ code: 1, ...answer, kind: 'busy' });
    await desk.broker.settle('q', [settlement(held, done)]);
    expect(await kinds()).toEqual({ code: 0, ...answer, kind: 'forgotten' });
  });
});
