import type { QueueReport } from '../contracts/queue-store.interface.js';
import type { ServerReport } from '../contracts/server-store.interface.js';
import { StateReader, type ObservedStores } from '../operate/state-reader.js';
import { FailingFor } from './failing-for.js';

/** What Redis says about itself and about some queues. */
export interface Inspection {
  readonly server: ServerReport;
  readonly queues: Readonly<Record<string, QueueReport>>;
  /** Why writes are refused, and for how many milliseconds now; `undefined` where they are accepted. */
  readonly refusal: { readonly error: unknown; readonly sinceMs: number } | undefined;
}

const DEADLINE_MS = 1_000;
const CACHE_MS = 1_000;
/** Where a process that works on no queue would write. */
const ANY_QUEUE = 'default';

/** Asks Redis at most once a second, and notes for how long it has not answered, or has refused writes. */
export class BrokerInspection {
  readonly #state: StateReader;
  readonly #silence = new FailingFor();
  readonly #refusal = new FailingFor();

  constructor(stores: ObservedStores) {
    this.#state = new StateReader(stores, { cacheMs: CACHE_MS, serverCacheMs: CACHE_MS, deadlineMs: DEADLINE_MS });
  }

  /** Milliseconds since the first question of those that were not answered lately; 0 where the last one was. */
  get failingForMs(): number {
    return this.#silence.ms;
  }

  /** Rejects with what is wrong, after a second at the latest. */
  read(queues: readonly string[]): Promise<Inspection> {
    return this.#silence.watch(this.#read(queues));
  }

  async #read(queues: readonly string[]): Promise<Inspection> {
    const [server, reports, refusal] = await Promise.all([
      this.#state.server(),
      this.#state.queues(queues),
      this.#findRefusal(queues.length === 0 ? [ANY_QUEUE] : queues),
    ]);
    return { server, refusal, queues: Object.fromEntries(reports) };
  }

  async #findRefusal(queues: readonly string[]): Promise<Inspection['refusal']> {
    try {
      await this.#refusal.watch(this.#state.writes(queues));
      return undefined;
    } catch (error) {
      return { error, sinceMs: this.#refusal.ms };
    }
  }
}
