import { Inject, Injectable } from '@nestjs/common';
import type { QueueReport, QueueStore, WorkerInfo } from '../contracts/queue-store.interface.js';
import { BROKER, RESOLVED_OPTIONS } from '../contracts/tokens.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { requireQueueName } from '../task/names.js';

/** The most queues, and workers of a queue, that are answered. */
const MAX_QUEUES = 1_000;
const MAX_WORKERS = 1_000;
/** Queues that are asked for at once. */
const AT_ONCE = 50;

/**
 * How much is in a queue, and how it is served.
 *
 * @publicApi
 */
export interface QueueOverview extends QueueReport {
  readonly queue: string;
}

/**
 * Shows which queues there are, how much lies in them and who works on them. Every answer is bounded, and costs no more for
 * a long queue than for a short one.
 *
 * @publicApi
 */
@Injectable()
export class QueueInspector {
  constructor(
    @Inject(BROKER)
    private readonly broker: { readonly queues: Pick<QueueStore, 'inspect' | 'list' | 'listWorkers'> },
    @Inject(RESOLVED_OPTIONS) private readonly options: Pick<ResolvedOptions, 'queues'>,
  ) {}

  /**
   * The names of queues: those of the option `queues`, and the 1000 that workers and senders have begun to use last, in the
   * order of the alphabet. A queue of which only processes of older versions know is not among them.
   */
  async queues(): Promise<string[]> {
    const used = await this.broker.queues.list(MAX_QUEUES);
    return [...new Set([...Object.keys(this.options.queues), ...used])].toSorted();
  }

  /** How much lies in one queue; zeros for one that is not there. */
  async inspect(queue: string): Promise<QueueOverview> {
    return { queue: requireQueueName(queue), ...(await this.broker.queues.inspect(queue)) };
  }

  /** How much lies in every queue of {@link QueueInspector.queues}. */
  async overview(): Promise<QueueOverview[]> {
    const names = await this.queues();
    const overviews: QueueOverview[] = [];
    for (let first = 0; first < names.length; first += AT_ONCE) {
      overviews.push(...(await Promise.all(names.slice(first, first + AT_ONCE).map((name) => this.inspect(name)))));
    }
    return overviews;
  }

  /** The workers of a queue, up to 1000. One that was killed is among them until `timing.consumerTtlMs` is over. */
  async workers(queue: string): Promise<WorkerInfo[]> {
    return this.broker.queues.listWorkers(requireQueueName(queue), MAX_WORKERS);
  }
}
