import { TASK_EVENT_KINDS } from '../watch/facts.js';
import type { TaskEvent, TaskEventKind } from '../watch/task-event.interface.js';
import { InvalidOptionError, UsageError } from '../task/config-errors.js';
import type { TaskContract } from '../task/task-contract.js';
import { requireQueueName, requireTaskName } from '../task/names.js';

/**
 * Which events a listener hears. What is left out is not looked at.
 *
 * @publicApi
 */
export interface TaskEventFilter {
  readonly queue?: string;
  /** The name of the task. */
  readonly task?: string;
}

/** What `@OnTaskEvent` says about a method. */
export interface EventSubscription extends TaskEventFilter {
  /** `undefined` for every kind. */
  readonly kinds: readonly TaskEventKind[] | undefined;
}

const SUBSCRIPTIONS = Symbol.for('nestjs-task-streams:subscriptions');

/** A method that takes the events it asked for. */
type ListenerDecorator<K extends TaskEventKind> = <T extends (event: Extract<TaskEvent, { kind: K }>) => unknown>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<T>,
) => void;

/**
 * Makes a method of a provider hear what happens to tasks in this process. It may be written several times. The worker does
 * not wait for it, and an error that it throws is logged and changes nothing. A provider that is made for each request or
 * injection cannot have one: the boot fails.
 *
 * @example
 * @OnTaskEvent('dead', { queue: 'payments' })
 * async page({ task, taskId, reason }: TaskEventOf<'dead'>): Promise<void> { … }
 *
 * @param kinds A kind, or several. Default: all of them.
 * @param of Which tasks: a queue, a name, or a contract. Default: all of them.
 * @throws InvalidOptionError for a kind that is not known, InvalidNameError for a filter that cannot match.
 * @publicApi
 */
export function OnTaskEvent<K extends TaskEventKind = TaskEventKind>(
  kinds?: K | readonly K[],
  of: TaskEventFilter | TaskContract = {},
): ListenerDecorator<K> {
  const list = kinds === undefined ? undefined : typeof kinds === 'string' ? [kinds] : (kinds as readonly K[]);
  const unknown = list?.find((kind) => !TASK_EVENT_KINDS.includes(kind));
  if (unknown !== undefined)
    throw new InvalidOptionError('@OnTaskEvent', unknown, `give one of ${TASK_EVENT_KINDS.join(', ')}`);
  const filter = filterOf(of);
  if (filter.queue !== undefined) requireQueueName(filter.queue);
  if (filter.task !== undefined) requireTaskName(filter.task);
  return (_target, key, descriptor) => {
    const method: unknown = descriptor.value;
    if (typeof method !== 'function')
      throw new UsageError(`@OnTaskEvent() belongs on a method; ${String(key)} is none`);
    Reflect.defineMetadata(SUBSCRIPTIONS, [...subscriptionsOf(method), { ...filter, kinds: list }], method);
  };
}

/** Of a contract its queue and its name: it has more members than a filter. */
function filterOf(of: TaskEventFilter | TaskContract): TaskEventFilter {
  return 'name' in of ? { queue: of.queue, task: of.name } : of;
}

/** What the decorators of a method say. */
export function subscriptionsOf(method: unknown): readonly EventSubscription[] {
  if (typeof method !== 'function') return [];
  return (Reflect.getMetadata(SUBSCRIPTIONS, method) ?? []) as readonly EventSubscription[];
}
