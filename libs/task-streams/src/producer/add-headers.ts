import type { TaskHeaders } from '../task/envelope.js';
import type { EncodedTask } from './encode-task.js';

/**
 * A task with more headers, such as those of a trace. What the sender gave wins; what is too much for the limit is left
 * out.
 *
 * @internal
 */
export function addHeaders(task: EncodedTask, added: TaskHeaders, maxHeaders: number): EncodedTask {
  const { item } = task;
  const head = item.head === '' ? {} : (JSON.parse(item.head) as { readonly headers?: TaskHeaders });
  const given = head.headers ?? {};
  const fresh = Object.entries(added).filter(([name]) => !Object.hasOwn(given, name));
  const room = Math.max(0, maxHeaders - Object.keys(given).length);
  // All or nothing: a trace state without its trace means nothing.
  if (fresh.length === 0 || fresh.length > room) return task;
  const headers = Object.fromEntries([...Object.entries(given), ...fresh]);
  return { ...task, item: { ...item, head: JSON.stringify({ ...head, headers }) } };
}
