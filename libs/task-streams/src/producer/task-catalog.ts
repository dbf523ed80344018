import { UsageError } from '../task/config-errors.js';
import { requireQueueName, requireTaskName } from '../task/names.js';
import type { PayloadClass } from '../task/task-contract.js';

/** The most queues, and names of one queue, that are looked at. */
const MOST_SEEN = 1_000;

/**
 * Which queue the task of a name goes to, so that a name is enough to send it.
 *
 * @internal
 */
export class TaskCatalog {
  private readonly queues = new Map<string, Set<string>>();
  /** What was enqueued, by queue: looked at once each. */
  private readonly seen = new Map<string, Set<string>>();
  /** Is told of the first task of each name and queue; with true where the queue is only a guess. */
  onFirst: ((queue: string, name: string, isGuess: boolean) => void) | undefined;
  private readonly payloads = new Map<string, PayloadClass<unknown>>();

  /**
   * Says that tasks of this name are taken from this queue. A name may be declared for several queues.
   *
   * @param payload The class their payloads are checked against, where there is one.
   * @throws InvalidNameError for a name that cannot be used.
   */
  declare(name: string, queue: string, payload?: PayloadClass<unknown>): void {
    const queues = this.queues.get(requireTaskName(name)) ?? new Set();
    this.queues.set(name, queues.add(requireQueueName(queue)));
    if (payload) this.payloads.set(`${queue}/${name}`, payload);
  }

  /** Notes that a task is about to be sent. */
  note(queue: string, name: string, isGuess: boolean): void {
    if (this.seen.get(queue)?.has(name) === true || this.onFirst === undefined) return;
    const names = this.seen.get(queue) ?? new Set();
    // Names that are made up at run time are not counted for ever.
    if (names.size === MOST_SEEN || (names.size === 0 && this.seen.size === MOST_SEEN)) return;
    this.seen.set(queue, names.add(name));
    this.onFirst(queue, name, isGuess);
  }

  /** The class a payload is checked against, `undefined` where none is known. */
  payloadOf(name: string, queue: string): PayloadClass<unknown> | undefined {
    return this.payloads.get(`${queue}/${name}`);
  }

  /**
   * The queue of a task name, `undefined` where it was never declared.
   *
   * @throws UsageError where it was declared for several: the sender must choose.
   */
  queueOf(name: string): string | undefined {
    const [queue, ...others] = this.queues.get(name) ?? [];
    if (queue === undefined || others.length === 0) return queue;
    const list = [queue, ...others].map((other) => `"${other}"`).join(' and ');
    throw new UsageError(
      `Task "${name}" is taken from the queues ${list}, so its name alone does not say where to send it. ` +
        'Give { queue } with the options of enqueue, or enqueue a contract.',
    );
  }

  /** Every declared pair of task name and queue. */
  *entries(): IterableIterator<{ readonly name: string; readonly queue: string }> {
    for (const [name, queues] of this.queues) {
      for (const queue of queues) yield { name, queue };
    }
  }
}
