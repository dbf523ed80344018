import type { DeclaredTasks } from '../contracts/declared-tasks.interface.js';
import { OTHER } from './label-values.js';

/** A contract that is made anew for each tenant must not make series for ever. */
const MAX_CONTRACTS = 500;

/**
 * Which names may become labels: those that were declared by handlers, `forFeature` and the options, and those of
 * contracts that were sent.
 */
export class KnownNames {
  readonly #queues = new Set<string>();
  readonly #tasks = new Set<string>();
  readonly #seen = new Set<string>();

  constructor(
    private readonly declared: DeclaredTasks,
    queues: readonly string[],
  ) {
    for (const queue of queues) this.#queues.add(queue);
  }

  /** Takes over what was declared since. */
  refresh(): void {
    for (const { name, queue } of this.declared.entries()) {
      this.#queues.add(queue);
      this.#tasks.add(name);
    }
  }

  /** A contract stands in the code: its names are few. True where it was not known before. */
  learn(queue: string, task: string): boolean {
    const key = `${queue} ${task}`;
    if (this.#seen.has(key) || this.#seen.size >= MAX_CONTRACTS) return false;
    this.#seen.add(key);
    this.#queues.add(queue);
    this.#tasks.add(task);
    return true;
  }

  queue(name: string | undefined): string {
    return name !== undefined && this.#queues.has(name) ? name : OTHER;
  }

  task(name: string): string {
    return this.#tasks.has(name) ? name : OTHER;
  }

  get queues(): readonly string[] {
    return [...this.#queues];
  }

  /** The declared pairs, and the one for everything else is not among them. */
  pairs(): readonly { readonly queue: string; readonly task: string }[] {
    return [...this.declared.entries()].map(({ queue, name }) => ({ queue, task: name }));
  }
}
