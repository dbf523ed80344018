import type { Provider } from '@nestjs/common';
import type { Broker } from '../contracts/broker.interface.js';
import { PRODUCER_EVENTS, WORKER_EVENTS } from '../watch/event-sources.interface.js';
import type { FactSource } from '../watch/fact.interface.js';
import { END_NAMES } from '../watch/facts.js';
import { TASK_TRACING, type TaskTracing } from '../contracts/task-tracing.interface.js';
import { BROKER, RESOLVED_OPTIONS } from '../contracts/tokens.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { MessagingAttributes, placeOf } from './attributes.js';
import { OtelMetrics } from './otel-metrics.js';
import { resolveOtelOptions, type TaskStreamsOtelOptions } from './otel-options.js';
import { OtelTracing } from './otel-tracing.js';

const ATTRIBUTES = Symbol.for('nestjs-task-streams:otel-attributes');
const LISTENERS = Symbol.for('nestjs-task-streams:otel-listeners');

/**
 * Follows tasks with OpenTelemetry: for the `providers` of `TaskStreamsModule.forRoot`. Without an SDK in the process it does
 * nothing.
 *
 * @example
 * TaskStreamsModule.forRoot({ … }, { providers: openTelemetry() })
 *
 * @throws InvalidOptionError for a value that cannot work or a name that is not known.
 * @publicApi
 */
export function openTelemetry(options: TaskStreamsOtelOptions = {}): Provider[] {
  const resolved = resolveOtelOptions(options);
  return [
    {
      provide: ATTRIBUTES,
      inject: [BROKER, RESOLVED_OPTIONS],
      useFactory: ({ workerName }: Broker, { connection }: ResolvedOptions) =>
        new MessagingAttributes(workerName, placeOf(connection.url)),
    },
    {
      provide: TASK_TRACING,
      inject: [ATTRIBUTES],
      useFactory: (attributes: MessagingAttributes) => new OtelTracing(resolved, attributes),
    },
    {
      provide: LISTENERS,
      inject: [TASK_TRACING, ATTRIBUTES, WORKER_EVENTS, PRODUCER_EVENTS],
      useFactory: (
        tracing: OtelTracing,
        attributes: MessagingAttributes,
        workers: FactSource,
        producers: FactSource,
      ) => {
        workers.listen({
          hears: (name) => resolved.settleSpans && END_NAMES.has(name),
          tell: (fact) => tracing.settled(fact),
        });
        if (!resolved.metrics) return undefined;
        const metrics = new OtelMetrics(resolved.meterProvider.getMeter('nestjs-task-streams'), attributes);
        workers.listen(metrics);
        producers.listen(metrics);
        return metrics;
      },
    },
  ];
}

/**
 * The tracing alone, for the `tracing` of a `TaskStreamsClientProxy`, which Nest makes without injection.
 *
 * @throws InvalidOptionError for a value that cannot work or a name that is not known.
 * @publicApi
 */
export function createTaskTracing(options: TaskStreamsOtelOptions = {}): TaskTracing {
  return new OtelTracing(resolveOtelOptions(options), new MessagingAttributes(undefined, undefined));
}
