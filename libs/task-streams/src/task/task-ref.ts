import { InvalidNameError } from './config-errors.js';
import { requireQueueName, requireTaskId } from './names.js';

/**
 * One string that finds a task again: queue, partition and id. Opaque to users, safe in a URL path, and safe to store.
 *
 * @publicApi
 */
export type TaskRef = string;

/** Exists for the compiler only. */
declare const RESULT: unique symbol;

/**
 * The reference of a task that was sent by its contract: a {@link TaskRef} for which `TaskClient.result` answers the result
 * of the contract.
 *
 * @publicApi
 */
export type TaskRefOf<R> = TaskRef & { readonly [RESULT]: R };

/**
 * Where a task is.
 *
 * @publicApi
 */
export interface TaskAddress {
  /** The queue the task was enqueued to. */
  readonly queue: string;
  /** The id of the task. */
  readonly id: string;
}

const SEPARATOR = '~';
const ONLY_PARTITION = '0';

/** The reference of a task. */
export function encodeTaskRef(address: TaskAddress): TaskRef {
  return `${escape(address.queue)}${SEPARATOR}${ONLY_PARTITION}${SEPARATOR}${escape(address.id)}`;
}

/** The address behind a reference, or the address itself; throws {@link InvalidNameError} on anything else. */
export function resolveTaskAddress(task: TaskRef | TaskAddress): TaskAddress {
  if (typeof task !== 'string') return { queue: requireQueueName(task?.queue), id: requireTaskId(task?.id) };
  const [queue, partition, id, ...rest] = task.split(SEPARATOR);
  if (queue === undefined || id === undefined || partition !== ONLY_PARTITION || rest.length > 0) {
    throw new InvalidNameError('Task reference', task, 'it is not the ref of a receipt');
  }
  return { queue: requireQueueName(unescape(queue, task)), id: requireTaskId(unescape(id, task)) };
}

/** What is the same in a URL path; a UUID and most names of queues are. */
const PLAIN = /^[\w.-]+$/;

function escape(part: string): string {
  if (PLAIN.test(part)) return part;
  return encodeURIComponent(part).replaceAll(SEPARATOR, '%7E');
}

function unescape(part: string, ref: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new InvalidNameError('Task reference', ref, 'it is not the ref of a receipt');
  }
}
