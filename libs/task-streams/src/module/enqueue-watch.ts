import type { QueueStore } from '../contracts/queue-store.interface.js';
import { suggestName } from '../options/suggest-name.js';
import type { TaskCatalog } from '../producer/task-catalog.js';

/** How soon after the first task of a queue somebody is expected to work on it. */
const SERVED_MS = 30_000;
/** The most names in a warning. */
const MOST_NAMES = 10;

/** What an {@link EnqueueWatch} looks with. */
export interface EnqueueWatchDeps {
  readonly catalog: TaskCatalog;
  readonly queues: Pick<QueueStore, 'inspect'>;
  /** The queues this process works on. */
  readonly ownQueues: readonly string[];
  readonly log: { warn(message: string): void };
}

/**
 * Looks at the first task of each name that this process enqueues. A sender may know more than this process does, so nothing
 * is refused: a name without a handler, and a queue on which nobody works, are one warning each.
 */
export class EnqueueWatch {
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(private readonly deps: EnqueueWatchDeps) {
    deps.catalog.onFirst = (...first) => this.#look(...first);
  }

  stop(): void {
    this.deps.catalog.onFirst = undefined;
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  #look(queue: string, name: string, isGuess: boolean): void {
    const { ownQueues, log } = this.deps;
    const isOwn = ownQueues.includes(queue);
    const advice = isOwn ? this.#missing(queue, name) : isGuess ? this.#guessed(queue, name) : undefined;
    if (advice !== undefined) log.warn(advice);
    if (isOwn || this.#timers.has(queue)) return;
    this.#timers.set(queue, setTimeout(() => void this.#lookForWorkers(queue), SERVED_MS).unref());
  }

  /** A worker that has handlers of the queue takes every task of it. */
  #missing(queue: string, name: string): string | undefined {
    const known = [...this.deps.catalog.entries()].filter((entry) => entry.queue === queue).map((entry) => entry.name);
    if (known.includes(name)) return undefined;
    return (
      `Task "${name}" was enqueued to queue "${queue}", and this process works on that queue without a handler for it` +
      `${meant(name, known)}. Workers offer it again for timing.unknownTaskGraceMs; then it is a dead letter "unknown-task".`
    );
  }

  #guessed(queue: string, name: string): string | undefined {
    const known = [...new Set([...this.deps.catalog.entries()].map((entry) => entry.name))];
    if (known.length === 0) return undefined;
    return (
      `Task "${name}" was enqueued by its name to queue "${queue}", because this process knows no task of that name` +
      `${meant(name, known)}. Enqueue its contract, declare it with forFeature, or give { queue }.`
    );
  }

  async #lookForWorkers(queue: string): Promise<void> {
    const report = await this.deps.queues.inspect(queue).catch(() => undefined);
    if (report === undefined || report.liveConsumers > 0 || report.waiting + report.delayed === 0) return;
    this.deps.log.warn(
      `This process enqueues to queue "${queue}", and no worker of it is alive: ${report.waiting} tasks wait, ` +
        `${report.delayed} are delayed. Start its worker, or check the name of the queue.`,
    );
  }
}

function meant(name: string, known: readonly string[]): string {
  const suggestion = suggestName(name, known);
  return suggestion.startsWith('did') || known.length <= MOST_NAMES ? ` (${suggestion})` : '';
}
