import type { Attributes, Counter, Histogram, Meter } from '@opentelemetry/api';
import type { ProducerEvent } from '../watch/producer-observer.interface.js';
import type { WorkerEvent } from '../watch/worker-observer.interface.js';
import { describeError } from '../task/error-description.js';
import type { TaskOutcome } from '../task/task-outcome.js';
import type { MessagingAttributes } from './attributes.js';
import { ATTR, DURATION_BOUNDARIES, METRIC } from './semconv.js';

const SEND = { type: 'send', name: 'send' } as const;
const PROCESS = { type: 'process', name: 'process' } as const;

/** The metrics of the messaging conventions. */
export class OtelMetrics {
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
      description: 'Tasks that were handed to a worker, once for each time',
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

  ofProducer(event: ProducerEvent): void {
    switch (event.kind) {
      case 'enqueued':
        this.#sent.add(1, this.attributes.low(SEND, event.queue));
        return;
      case 'enqueue-failed':
        this.#sent.add(1, {
          ...this.attributes.low(SEND, event.queue),
          [ATTR.errorType]: describeError(event.error).name,
        });
        return;
      case 'enqueue-ended':
        this.#operation.record(event.durationMs / 1_000, this.attributes.low(SEND, event.queue));
        return;
      case 'redriven':
    }
  }

  ofWorker(event: WorkerEvent): void {
    if (event.kind === 'started') {
      this.#consumed.add(1, this.attributes.low(PROCESS, event.delivery.queue));
    } else if (event.kind === 'settled') {
      const { delivery, outcome, durationMs } = event;
      this.#process.record(durationMs / 1_000, {
        ...this.attributes.low(PROCESS, delivery.queue),
        ...errorType(outcome),
      });
    }
  }
}

function errorType(outcome: TaskOutcome): Attributes {
  if (outcome.kind === 'retry') return { [ATTR.errorType]: outcome.error.name };
  if (outcome.kind === 'expired') return { [ATTR.errorType]: outcome.error.name };
  return outcome.kind === 'dead-letter' ? { [ATTR.errorType]: outcome.info.error?.name ?? outcome.info.reason } : {};
}
