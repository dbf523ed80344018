import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';
import type { Fact, FactListener, FactName, FactOf } from '../watch/fact.interface.js';
import type { MessagingAttributes } from './attributes.js';
import { ATTR, DURATION_BOUNDARIES, METRIC } from './semconv.js';

const SEND = { type: 'send', name: 'send' } as const;
const PROCESS = { type: 'process', name: 'process' } as const;

type End = FactOf<'completed' | 'retrying' | 'deferred' | 'dead' | 'expired' | 'cancelled' | 'released' | 'refused'>;

/** What a fact adds to the metrics; one that is not here adds nothing. */
const RECORDERS: { readonly [K in FactName]?: (metrics: OtelMetrics, fact: FactOf<K>) => void } = {
  enqueued: (metrics, { fields }) => metrics.addSent(fields.queue),
  'enqueue-failed': (metrics, { fields }) => metrics.addSent(fields.queue, fields.error.name),
  'enqueue-ended': (metrics, { fields }) => metrics.recordSend(fields.queue, fields.durationMs),
  started: (metrics, { fields }) => metrics.addConsumed(fields.queue),
  completed: recordEnd,
  retrying: recordEnd,
  deferred: recordEnd,
  dead: (metrics, { fields }) =>
    metrics.recordProcess(fields.queue, fields.durationMs, fields.error?.name ?? fields.reason),
  expired: recordEnd,
  cancelled: recordEnd,
  released: recordEnd,
  refused: (metrics, { name, fields }) => metrics.recordProcess(fields.queue, fields.durationMs, name),
};

/** The metrics of the messaging conventions. */
export class OtelMetrics implements FactListener {
  readonly #sent: Counter;
  readonly #consumed: Counter;
  readonly #operation: Histogram;
  readonly #process: Histogram;

  constructor(
    meter: Meter,
    private readonly attributes: MessagingAttributes,
  ) {
    const duration = { unit: 's', advice: { explicitBucketBoundaries: [...DURATION_BOUNDARIES] } };
    this.#sent = meter.createCounter(METRIC.sent, { unit: '{message}', description: 'Tasks that were sent' });
    this.#consumed = meter.createCounter(METRIC.consumed, {
      unit: '{message}',
      description: 'Tasks that were delivered to a worker, once for each time',
    });
    this.#operation = meter.createHistogram(METRIC.operationDuration, {
      ...duration,
      description: 'How long senders waited for Redis',
    });
    this.#process = meter.createHistogram(METRIC.processDuration, {
      ...duration,
      description: 'How long attempts took',
    });
  }

  hears(name: FactName): boolean {
    return RECORDERS[name] !== undefined;
  }

  tell(fact: Fact): void {
    (RECORDERS[fact.name] as (metrics: OtelMetrics, fact: Fact) => void)(this, fact);
  }

  addSent(queue: string, errorType?: string): void {
    this.#sent.add(1, { ...this.attributes.low(SEND, queue === '' ? undefined : queue), ...failed(errorType) });
  }

  recordSend(queue: string, durationMs: number): void {
    this.#operation.record(durationMs / 1_000, this.attributes.low(SEND, queue));
  }

  addConsumed(queue: string): void {
    this.#consumed.add(1, this.attributes.low(PROCESS, queue));
  }

  recordProcess(queue: string, durationMs: number, errorType: string | undefined): void {
    this.#process.record(durationMs / 1_000, { ...this.attributes.low(PROCESS, queue), ...failed(errorType) });
  }
}

function recordEnd(metrics: OtelMetrics, { fields }: End): void {
  metrics.recordProcess(fields.queue, fields.durationMs, 'error' in fields ? fields.error?.name : undefined);
}

function failed(errorType: string | undefined): Attributes {
  return errorType === undefined ? {} : { [ATTR.errorType]: errorType };
}
