import type { ResolvedOptions } from '../options/resolved-options.js';
import { canonicalJson } from '../task/canonical-json.js';
import {
  DEFAULT_QUEUE,
  requireIdempotencyKey,
  requireQueueName,
  requireTaskId,
  requireTaskName,
} from '../task/names.js';
import type { TaskContract } from '../task/task-contract.js';
import type { EnqueueItem } from '../task/task-outcome.js';
import { dueTime } from './check-due-time.js';
import { messageOptions, requireEnqueueOptions } from './check-enqueue-options.js';
import { copyHeaders } from './encode-headers.js';
import { encodePayload } from './encode-payload.js';
import type { EnqueueOptions } from './enqueue-options.js';
import type { TaskCatalog } from './task-catalog.js';
import { newTaskId } from './task-id.js';

/** What {@link encodeTask} needs to know beside the task. */
export interface EncodeDeps {
  readonly limits: ResolvedOptions['limits'];
  /** The queue of the client, for a task that is sent by its name; `undefined` to look into the catalog. */
  readonly defaultQueue: string | undefined;
  readonly catalog: TaskCatalog;
}

/** A task ready to be appended, and the queue it goes to. */
export interface EncodedTask {
  readonly queue: string;
  readonly item: EnqueueItem;
}

/**
 * A task ready to be appended, and the queue it goes to. Its id is fixed here, before the first byte is sent.
 *
 * @throws PayloadNotSerializableError, PayloadTooLargeError, InvalidNameError, InvalidOptionError, and UsageError where
 *   the name is taken from several queues and none was chosen.
 * @internal
 */
export function encodeTask(
  task: string | TaskContract,
  payload: unknown,
  options: EnqueueOptions,
  deps: EncodeDeps,
): EncodedTask {
  requireEnqueueOptions(options);
  const name = requireTaskName(typeof task === 'string' ? task : (task as TaskContract | undefined)?.name);
  const known = chooseQueue(task, options, deps);
  const queue = known ?? DEFAULT_QUEUE;
  const id = options.id === undefined ? newTaskId() : requireTaskId(options.id);
  const json = encodePayload(name, payload, deps.limits);
  const isComparable = options.id !== undefined || options.idempotencyKey !== undefined;
  // Equal data under one id or key is the same task, in whatever order its members came: its hash is of this text.
  const body = isComparable ? canonicalJson(json) : json;
  const item = toItem({ id, name, body }, options, deps.limits.maxHeaders);
  deps.catalog.note(queue, name, known === undefined);
  return { queue, item };
}

function toItem(
  task: { readonly id: string; readonly name: string; readonly body: string },
  options: EnqueueOptions,
  maxHeaders: number,
): EnqueueItem {
  const { idempotencyKey } = options;
  return {
    id: task.id,
    name: task.name,
    idempotencyKey: idempotencyKey === undefined ? '' : requireIdempotencyKey(idempotencyKey),
    head: encodeHead(options, maxHeaders),
    body: task.body,
    ...dueTime(options),
  };
}

/** `undefined` where nothing says which. */
function chooseQueue(task: string | TaskContract, options: EnqueueOptions, deps: EncodeDeps): string | undefined {
  if (options.queue !== undefined) return requireQueueName(options.queue);
  if (typeof task !== 'string') return requireQueueName(task.queue);
  return deps.defaultQueue ?? deps.catalog.queueOf(task);
}

function encodeHead(options: EnqueueOptions, maxHeaders: number): string {
  const headers = copyHeaders(options.headers, maxHeaders);
  const message = messageOptions(options);
  // JSON.stringify leaves out what is undefined.
  return headers === undefined && message === undefined ? '' : JSON.stringify({ headers, options: message });
}
