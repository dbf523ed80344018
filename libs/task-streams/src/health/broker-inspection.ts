import type { ServerReport, ServerStore } from '../contracts/server-store.interface.js';
import type { QueueReport, QueueStore } from '../contracts/queue-store.interface.js';
import { withDeadline } from '../worker/with-deadline.js';
import { FailingFor } from './failing-for.js';

/** What Redis says about itself and about some queues. */
export interface Inspection {
  readonly server: ServerReport;
  readonly queues: Readonly<Record<string, QueueReport>>;
  /** Why writes are refused, and for how many milliseconds now; `undefined` where they are accepted. */
  readonly refusal: { readonly error: unknown; readonly sinceMs: number } | undefined;
}

export interface InspectedBroker {
  readonly server: Pick<ServerStore, 'report' | 'checkWrites'>;
  readonly queues: Pick<QueueStore, 'inspect'>;
}

const DEADLINE_MS = 1_000;
const CACHE_MS = 1_000;
/** Where a process that works on no queue would write. */
const ANY_QUEUE = 'default';

/**
 * Asks Redis, over the connection that is open anyway and in one round trip, at most once a second: health checks come from
 * several sides, and must not become a load.
 */
export class BrokerInspection {
  readonly #cache = new Map<string, { readonly at: number; readonly answer: Promise<Inspection> }>();
  readonly #silence = new FailingFor();
  readonly #refusal = new FailingFor();

  constructor(private readonly broker: InspectedBroker) {}

  /** Milliseconds since the first question of those that were not answered lately; 0 where the last one was. */
  get failingForMs(): number {
    return this.#silence.ms;
  }

  /** Rejects with what is wrong, after a second at the latest. */
  read(queues: readonly string[]): Promise<Inspection> {
    const key = queues.join(' ');
    const cached = this.#cache.get(key);
    const now = performance.now();
    if (cached && now - cached.at < CACHE_MS) return cached.answer;
    const answer = this.#silence.watch(withDeadline(this.#ask(queues), DEADLINE_MS, 'Redis'));
    this.#cache.set(key, { at: now, answer });
    return answer;
  }

  async #ask(queues: readonly string[]): Promise<Inspection> {
    const [server, refusal, ...reports] = await Promise.all([
      this.broker.server.report(),
      this.#findRefusal(queues),
      ...queues.map((queue) => this.broker.queues.inspect(queue)),
    ]);
    const found = queues.map((queue, index) => [queue, reports[index] as QueueReport] as const);
    return { server, refusal, queues: Object.fromEntries(found) };
  }

  /** Each queue may lie on a server of its own. */
  async #findRefusal(queues: readonly string[]): Promise<Inspection['refusal']> {
    const asked = queues.length === 0 ? [ANY_QUEUE] : queues;
    try {
      await this.#refusal.watch(Promise.all(asked.map((queue) => this.broker.server.checkWrites(queue))));
      return undefined;
    } catch (error) {
      return { error, sinceMs: this.#refusal.ms };
    }
  }
}
