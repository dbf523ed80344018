import type { CancelOrder, CancelReply, RescheduleReply, TaskControl } from '../contracts/task-control.interface.js';
import type { TaskState } from '../task/task-state.js';
import { encodeWhoAndWhy } from '../task/who-and-why.js';
import type { RedisTaskChanges } from './redis-task-changes.js';
import type { RedisSession } from './redis-session.js';

/** What cancel.lua returns. */
type CancelRow = readonly [kind: CancelReply['kind'], state: string, name: string];

/** Stops tasks, and moves those that wait for a time. */
export class RedisTaskControl implements TaskControl {
  constructor(
    private readonly session: RedisSession,
    private readonly changes: RedisTaskChanges,
  ) {}

  async cancel(queue: string, id: string, order: CancelOrder): Promise<CancelReply> {
    const args = [id, order.recordMs, encodeWhoAndWhy(order)];
    const [kind, state, name] = (await this.session.runFor('cancel', queue, args)) as CancelRow;
    if (kind === 'cancelled' || kind === 'requested') {
      const { by, reason } = order;
      const change = kind === 'cancelled' ? kind : 'cancel-requested';
      this.changes.publish(queue, { kind: change, taskId: id, name, details: { by, reason } });
    }
    return { kind, state: state === '' ? undefined : (state as TaskState) };
  }

  async reschedule(
    queue: string,
    id: string,
    due: { readonly delayMs: number; readonly runAt: number },
  ): Promise<RescheduleReply> {
    const reply = (await this.session.runFor('reschedule', queue, [id, due.delayMs, due.runAt])) as string[];
    const [kind, detail, name = ''] = reply;
    const runAt = new Date(Number(detail));
    if (kind === 'rescheduled') {
      this.changes.publish(queue, { kind, taskId: id, name, details: { runAt } });
      return { kind, runAt };
    }
    if (kind === 'promoted') this.changes.publish(queue, { kind, taskId: id, name });
    if (kind === 'not-delayed') return { kind, state: detail as TaskState };
    return { kind: kind as 'promoted' | 'unknown' };
  }
}
