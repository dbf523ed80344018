import { describe, expect, it } from 'vitest';
import { completion, deadLetter } from '../../../../test/support/broker/settlements.js';
import { deliveryOf } from '../../../../test/support/nest/deliveries.js';
import type { NewChange } from '../contracts/task-store.interface.js';
import type { SettleReply } from '../contracts/work-store.interface.js';
import type { TaskOutcome } from '../task/task-outcome.js';
import { ChangePublisher } from './change-publisher.js';
import { WorkerEvents } from './worker-events.js';

const changes: NewChange[] = [];
const events = new WorkerEvents();
events.listen(
  new ChangePublisher({
    hasChanges: (queue) => queue === 'followed',
    publish: (_queue, change) => void changes.push(change),
  }),
);

function settle(outcome: TaskOutcome, reply: SettleReply['kind'] = 'done', queue = 'followed'): NewChange[] {
  changes.length = 0;
  const delivery = deliveryOf({ queue, name: 'n', taskId: 'a' });
  events.observe({ kind: 'settled', delivery, outcome, reply: { kind: reply } as SettleReply, durationMs: 5 });
  return [...changes];
}

describe('ChangePublisher', () => {
  it('tells what became of a task without its stack, its letter and its entry', () => {
    const error = { name: 'RangeError', message: 'no truck', stack: 'at x' };
    const [change] = settle(deadLetter('timeout', { error }));
    expect(change).toMatchObject({
      kind: 'dead',
      taskId: 'a',
      name: 'n',
      details: { reason: 'timeout', durationMs: 5, error: { name: 'RangeError', message: 'no truck' } },
    });
    expect(JSON.stringify(change)).not.toMatch(/at x|letter|entryId/);
  });

  it('tells it too where the first answer was lost, and nothing of what Redis did not take', () => {
    expect(settle(completion(), 'already')).toMatchObject([{ kind: 'completed' }]);
    for (const reply of ['fenced', 'gone', 'deleted', 'refused'] as const)
      expect(settle(completion(), reply)).toEqual([]);
  });

  it('tells nothing of queues that nobody can follow, and of what is no state', () => {
    expect(settle(completion(), 'done', 'other')).toEqual([]);
    changes.length = 0;
    events.observe({ kind: 'stuck', delivery: deliveryOf({ queue: 'followed' }), abandonedMs: 1 });
    expect(changes).toEqual([]);
  });
});
