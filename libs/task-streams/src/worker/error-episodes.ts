import type { WorkerObserver } from '../watch/worker-observer.interface.js';
import type { OpenTrouble } from './worker-status.js';

/** Where an operation tells how it fared. */
export interface Trouble {
  failed(error: unknown): void;
  ended(): void;
}

/**
 * Tells of trouble with Redis once when it begins and once when it ends, not at every failed call: a worker that cannot
 * reach Redis for an hour must not write an hour of log lines.
 */
export class ErrorEpisodes {
  private readonly open = new Map<string, { readonly error: Error; readonly since: number }>();

  constructor(
    private readonly queue: string,
    private readonly observer: WorkerObserver,
  ) {}

  /** The message of trouble that has not ended, `undefined` while all is well. */
  get lastError(): string | undefined {
    return [...this.open.values()].at(-1)?.error.message;
  }

  /** Trouble that has not ended: the last error of each operation, and for how long it has had any. */
  get troubles(): OpenTrouble[] {
    const now = performance.now();
    return [...this.open].map(([operation, { error, since }]) => ({ operation, error, sinceMs: now - since }));
  }

  of(operation: string): Trouble {
    return {
      failed: (error) => this.failed(operation, error instanceof Error ? error : new Error(String(error))),
      ended: () => this.ended(operation),
    };
  }

  private failed(operation: string, error: Error): void {
    const known = this.open.get(operation);
    this.open.set(operation, { error, since: known?.since ?? performance.now() });
    if (known?.error.message === error.message) return;
    this.observer.observe({ kind: 'redis-error', queue: this.queue, operation, error });
  }

  private ended(operation: string): void {
    if (!this.open.delete(operation)) return;
    this.observer.observe({ kind: 'redis-recovered', queue: this.queue, operation });
  }
}
