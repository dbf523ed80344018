import type { Delivery } from '../../../libs/task-streams/src/contracts/work-store.interface.js';
import { FRESH_META, type TaskMeta } from '../../../libs/task-streams/src/task/task-meta.js';

/** What a spec says about a delivery; the rest is what a fresh task has. */
export interface DeliveryInput extends Partial<Omit<Delivery, 'fields'>> {
  readonly payload?: unknown;
  /** The payload as text, in place of `payload`. */
  readonly body?: string;
  readonly key?: string;
  readonly head?: object;
  readonly meta?: Partial<TaskMeta>;
  /** The fields of the entry, in place of all of these. */
  readonly fields?: readonly string[];
}

let sequence = 0;

/** One hand-out of a task. */
export function deliveryOf(input: DeliveryInput = {}): Delivery {
  sequence += 1;
  const { payload = {}, body, key = '', head, meta, ...rest } = input;
  const taskId = rest.taskId ?? `task-${sequence}`;
  const name = rest.name ?? 'work';
  return {
    queue: 'default',
    entryId: `${sequence}-0`,
    taskId,
    name,
    deliveryCount: 1,
    token: `t${sequence}`,
    payloadHash: undefined,
    failedAttempts: 0,
    enqueuedAt: 1_000,
    claimedAt: 2_000,
    keyClaim: undefined,
    ...rest,
    fields: rest.fields ?? [
      ...['head', `2\n${taskId}\n${name}\n${key}\n\n${head ? JSON.stringify(head) : ''}`],
      ...['body', body ?? JSON.stringify(payload)],
      ...(meta ? ['meta', JSON.stringify({ ...FRESH_META, ...meta })] : []),
    ],
  };
}
