import type { BrokerInspector } from '../contracts/broker.interface.js';
import type { QueueDepth } from '../contracts/queue-inspector.interface.js';
import type { ServerReport } from '../contracts/server-report.interface.js';
import { withDeadline } from '../worker/with-deadline.js';

/** What Redis says about itself and about some queues. */
export interface Inspection {
  readonly server: ServerReport;
  readonly depths: Readonly<Record<string, QueueDepth>>;
}

const DEADLINE_MS = 1_000;
const CACHE_MS = 1_000;

/**
 * Asks Redis, over the connection that is open anyway, at most once a second: health checks come from several sides, and
 * must not become a load.
 */
export class BrokerInspection {
  readonly #cache = new Map<string, { readonly at: number; readonly answer: Promise<Inspection> }>();
  #failingSince: number | undefined;

  constructor(private readonly broker: BrokerInspector) {}

  /** Milliseconds since the first question of those that were not answered lately; 0 where the last one was. */
  get failingForMs(): number {
    return this.#failingSince === undefined ? 0 : performance.now() - this.#failingSince;
  }

  /** Rejects with what is wrong, after a second at the latest. */
  read(queues: readonly string[]): Promise<Inspection> {
    const key = queues.join(' ');
    const cached = this.#cache.get(key);
    const now = performance.now();
    if (cached && now - cached.at < CACHE_MS) return cached.answer;
    const answer = this.#watched(withDeadline(this.#ask(queues), DEADLINE_MS, 'Redis'));
    this.#cache.set(key, { at: now, answer });
    return answer;
  }

  async #watched(answer: Promise<Inspection>): Promise<Inspection> {
    try {
      const inspection = await answer;
      this.#failingSince = undefined;
      return inspection;
    } catch (error) {
      this.#failingSince ??= performance.now();
      throw error;
    }
  }

  async #ask(queues: readonly string[]): Promise<Inspection> {
    const [server, ...depths] = await Promise.all([
      this.broker.server(),
      ...queues.map((queue) => this.broker.depth(queue)),
    ]);
    return { server, depths: Object.fromEntries(queues.map((queue, index) => [queue, depths[index] as QueueDepth])) };
  }
}
