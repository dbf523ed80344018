import type { QueueReport, QueueStore } from '../contracts/queue-store.interface.js';
import type { ServerReport, ServerStore } from '../contracts/server-store.interface.js';
import { withDeadline } from '../time/with-deadline.js';

/** What is asked. */
export interface ObservedStores {
  readonly queues: Pick<QueueStore, 'inspect'>;
  readonly server: Pick<ServerStore, 'report' | 'checkWrites'>;
}

export interface StateReaderSettings {
  /** Milliseconds an answer is good for, an error too. Questions in that time share it. */
  readonly cacheMs: number;
  /** The same for what the server says about itself, which changes rarely and is dearer than the queues. */
  readonly serverCacheMs: number;
  /** Milliseconds to wait for Redis. */
  readonly deadlineMs: number;
  /** Hears of each question that had no answer. */
  readonly onError?: (target: Target) => void;
}

type Target = 'queues' | 'server' | 'writes';

interface Answer {
  readonly promise: Promise<unknown>;
  /** By `performance.now()`. */
  goodUntil: number;
}

/**
 * Asks Redis how it is and what lies in its queues, for health and for metrics: all queues at once, on the connection that is
 * open anyway, never for longer than the deadline, and seldom, because both are asked from several sides.
 */
export class StateReader {
  readonly #answers = new Map<string, Answer>();

  constructor(
    private readonly stores: ObservedStores,
    private readonly settings: StateReaderSettings,
  ) {}

  /** The commands leave in one go and the answers come back in one: it takes one round trip however many queues there are. */
  queues(names: readonly string[]): Promise<ReadonlyMap<string, QueueReport>> {
    return this.#recent('queues', names, async () => {
      const reports = names.map(async (queue) => [queue, await this.stores.queues.inspect(queue)] as const);
      return new Map(await Promise.all(reports));
    });
  }

  server(): Promise<ServerReport> {
    return this.#recent('server', [], () => this.stores.server.report());
  }

  /** Resolves where writes are accepted. Each queue may lie on a server of its own. */
  writes(names: readonly string[]): Promise<void> {
    return this.#recent('writes', names, async () => {
      await Promise.all(names.map((queue) => this.stores.server.checkWrites(queue)));
    });
  }

  #recent<T>(target: Target, names: readonly string[], ask: () => Promise<T>): Promise<T> {
    const key = `${target} ${names.join(' ')}`;
    const known = this.#answers.get(key);
    const now = performance.now();
    if (known && now < known.goodUntil) return known.promise as Promise<T>;
    const { cacheMs, serverCacheMs, deadlineMs, onError } = this.settings;
    const promise = withDeadline(ask(), deadlineMs, () => new Error(`Redis took longer than ${deadlineMs} ms`));
    const answer: Answer = { promise, goodUntil: now + (target === 'server' ? serverCacheMs : cacheMs) };
    for (const [old, { goodUntil }] of this.#answers) if (goodUntil <= now) this.#answers.delete(old);
    this.#answers.set(key, answer);
    promise.catch(() => {
      answer.goodUntil = Math.min(answer.goodUntil, now + cacheMs);
      onError?.(target);
    });
    return promise;
  }
}
