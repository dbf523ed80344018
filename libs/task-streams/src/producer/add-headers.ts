import type { TaskHeaders } from '../task/envelope.js';
import type { EncodedTask } from './encode-task.js';

/**
 * A task with more headers, such as those of a trace. They replace what is there under their names: what was forwarded from
 * elsewhere is an older trace. What is too much for the limit is left out.
 *
 * @internal
 */
export function addHeaders(task: EncodedTask, added: TaskHeaders, maxHeaders: number): EncodedTask {
  const { item } = task;
  const head = item.head === '' ? {} : (JSON.parse(item.head) as { readonly headers?: TaskHeaders });
  const headers = Object.fromEntries([...Object.entries(head.headers ?? {}), ...Object.entries(added)]);
  const count = Object.keys(headers).length;
  // All or nothing: a trace state without its trace means nothing.
  if (count === 0 || count > maxHeaders) return task;
  return { ...task, item: { ...item, head: JSON.stringify({ ...head, headers }) } };
}
