import type { ServerReport, ServerStore } from '../contracts/server-store.interface.js';
import type { QueueReport, QueueStore } from '../contracts/queue-store.interface.js';
import { withDeadline } from '../worker/with-deadline.js';

/** What Redis said, or that it did not. */
export interface RedisState {
  /** `undefined` where Redis did not answer in time. */
  readonly queues: ReadonlyMap<string, QueueReport> | undefined;
  readonly server: ServerReport | undefined;
}

export interface StateReaderSettings {
  /** Milliseconds an answer is good for: several scrapers, and every metric of one scrape, share it. */
  readonly cacheMs: number;
  /** Milliseconds to wait for Redis. */
  readonly deadlineMs: number;
}

/** What is asked. */
export interface ObservedStores {
  readonly queues: Pick<QueueStore, 'inspect'>;
  readonly server: Pick<ServerStore, 'report'>;
}

/** The settings of a server change rarely, and asking for them is dearer than the queues. */
const SERVER_CACHE_MS = 30_000;

/** Asks Redis about the queues, all of them at once on one connection, and never for longer than the deadline. */
export class StateReader {
  #state: { readonly at: number; readonly answer: Promise<RedisState> } | undefined;
  #server: { readonly at: number; readonly report: ServerReport } | undefined;

  constructor(
    private readonly broker: ObservedStores,
    private readonly settings: StateReaderSettings,
    private readonly onError: (target: 'queues' | 'server') => void,
  ) {}

  /** Never rejects. */
  read(queues: () => readonly string[]): Promise<RedisState> {
    const now = performance.now();
    if (this.#state && now - this.#state.at < this.settings.cacheMs) return this.#state.answer;
    const answer = this.#read(queues());
    this.#state = { at: now, answer };
    return answer;
  }

  async #read(queues: readonly string[]): Promise<RedisState> {
    const [reports, server] = await Promise.all([
      this.#within('queues', () => this.#queues(queues)),
      this.#within('server', () => this.#serverReport()),
    ]);
    return { queues: reports, server };
  }

  /** The commands leave in one go and the answers come back in one: it takes one round trip however many queues there are. */
  async #queues(queues: readonly string[]): Promise<ReadonlyMap<string, QueueReport>> {
    return new Map(
      await Promise.all(queues.map(async (queue) => [queue, await this.broker.queues.inspect(queue)] as const)),
    );
  }

  async #serverReport(): Promise<ServerReport> {
    const known = this.#server;
    if (known && performance.now() - known.at < SERVER_CACHE_MS) return known.report;
    const report = await this.broker.server.report();
    this.#server = { at: performance.now(), report };
    return report;
  }

  async #within<T>(target: 'queues' | 'server', ask: () => Promise<T>): Promise<T | undefined> {
    try {
      return await withDeadline(ask(), this.settings.deadlineMs, 'Redis');
    } catch {
      this.onError(target);
      return undefined;
    }
  }
}
