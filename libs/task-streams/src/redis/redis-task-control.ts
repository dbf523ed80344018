import type { CancelOrder, CancelReply, RescheduleReply, TaskControl } from '../contracts/task-control.interface.js';
import type { TaskState } from '../task/task-state.js';
import { encodeWhoAndWhy } from '../task/who-and-why.js';
import type { RedisSession } from './redis-session.js';

/** Stops tasks, and moves those that wait for a time. */
export class RedisTaskControl implements TaskControl {
  constructor(private readonly session: RedisSession) {}

  async cancel(queue: string, id: string, order: CancelOrder): Promise<CancelReply> {
    const args = [id, order.recordMs, encodeWhoAndWhy(order)];
    const [kind, state] = (await this.session.runFor('cancel', queue, args)) as [CancelReply['kind'], string];
    return { kind, state: state === '' ? undefined : (state as TaskState) };
  }

  async reschedule(
    queue: string,
    id: string,
    due: { readonly delayMs: number; readonly runAt: number },
  ): Promise<RescheduleReply> {
    const reply = (await this.session.runFor('reschedule', queue, [id, due.delayMs, due.runAt])) as [string, string];
    const [kind, detail] = reply;
    if (kind === 'rescheduled') return { kind, runAt: new Date(Number(detail)) };
    if (kind === 'not-delayed') return { kind, state: detail as TaskState };
    return { kind: kind as 'promoted' | 'unknown' };
  }
}
