import type { TaskSource } from '../contracts/broker.interface.js';
import type { Trouble } from './error-episodes.js';
import { pause } from './pause.js';
import { errorPauseMs } from './periodic.js';
import type { RunRegistry } from './run-registry.js';
import type { RunStarter } from './run-starter.js';

/**
 * Fetches tasks for the free slots of one queue, for ever: a read that answers at once, and where that finds nothing, a
 * read that waits. No error ends it and none makes it spin.
 */
export class FetchLoop {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  /** After an error: make sure of the group, and look for entries whose answer was lost. */
  private isSound = false;
  private isFull = false;
  private failures = 0;
  private turnedAt = performance.now();
  private fetchedAt = performance.now();

  constructor(
    private readonly queue: string,
    private readonly source: TaskSource,
    private readonly registry: RunRegistry,
    private readonly starter: RunStarter,
    private readonly trouble: Trouble,
  ) {}

  start(): void {
    this.turnedAt = this.fetchedAt = performance.now();
    this.running = this.run();
  }

  /** Resolves when nothing is being fetched any more. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.registry.wake();
    await this.source.interrupt(this.queue).catch(() => undefined);
    await this.running;
  }

  ages(): { readonly sinceLastTurnMs: number; readonly sinceLastFetchMs: number } {
    // A full worker waits for its own tasks, for hours if need be; that is no sign of trouble.
    if (this.isFull) return { sinceLastTurnMs: 0, sinceLastFetchMs: 0 };
    const now = performance.now();
    return { sinceLastTurnMs: now - this.turnedAt, sinceLastFetchMs: now - this.fetchedAt };
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.turnedAt = performance.now();
      try {
        await this.turn();
      } catch (error) {
        this.isSound = false;
        this.failures += 1;
        if (!this.stopping.signal.aborted) this.trouble.failed(error);
        await pause(errorPauseMs(this.failures), this.stopping.signal);
      }
    }
  }

  private async turn(): Promise<void> {
    const free = this.registry.freeCount;
    if (free === 0) {
      this.isFull = true;
      await this.registry.changed();
      this.isFull = false;
      this.fetchedAt = performance.now();
      return;
    }
    if (!this.isSound) await this.recover(free);
    else await this.fetch(free);
    this.failures = 0;
    this.fetchedAt = performance.now();
    this.trouble.ended();
  }

  private async recover(free: number): Promise<void> {
    await this.source.ensureQueue(this.queue);
    this.starter.take(await this.source.recover(this.queue, this.registry.entryIds(), free));
    this.isSound = true;
  }

  private async fetch(free: number): Promise<void> {
    const found = await this.source.read(this.queue, free);
    this.starter.take(found);
    if (found.length > 0 || this.stopping.signal.aborted) return;
    this.starter.take(await this.source.waitAndRead(this.queue, free));
  }
}
