import type { CancelOrder, CancelReply, TaskControl } from '../contracts/task-control.interface.js';
import { encodeCancel } from '../task/cancel-request.js';
import type { TaskState } from '../task/task-state.js';
import type { RedisSession } from './redis-session.js';

/** Stops tasks. */
export class RedisTaskControl implements TaskControl {
  constructor(private readonly session: RedisSession) {}

  async cancel(queue: string, id: string, order: CancelOrder): Promise<CancelReply> {
    const args = [id, order.recordMs, encodeCancel(order.reason, order.by)];
    const [kind, state] = (await this.session.runFor('cancel', queue, args)) as [CancelReply['kind'], string];
    return { kind, state: state === '' ? undefined : (state as TaskState) };
  }
}
