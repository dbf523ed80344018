import { context, propagation, SpanKind, SpanStatusCode, trace, type HrTime } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

/** A span as a test looks at it. */
export interface SeenSpan {
  readonly name: string;
  readonly kind: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  /** The spans it is linked to. */
  readonly links: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly exceptions: readonly unknown[];
  readonly startTime: HrTime;
}

/** OpenTelemetry with everything kept in memory. The context manager and the propagator are those of the process. */
export class Telemetry {
  readonly #spans = new InMemorySpanExporter();
  readonly tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.#spans)] });
  readonly #metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly #reader = new PeriodicExportingMetricReader({ exporter: this.#metrics, exportIntervalMillis: 600_000 });
  readonly meterProvider = new MeterProvider({ readers: [this.#reader] });

  constructor() {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(
      new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
    );
  }

  get tracer() {
    return this.tracerProvider.getTracer('test');
  }

  spans(): SeenSpan[] {
    return this.#spans.getFinishedSpans().map((span) => ({
      name: span.name,
      kind: SpanKind[span.kind],
      traceId: span.spanContext().traceId,
      spanId: span.spanContext().spanId,
      parentId: span.parentSpanContext?.spanId,
      links: span.links.map((link) => link.context.spanId),
      attributes: span.attributes,
      isError: span.status.code === SpanStatusCode.ERROR,
      exceptions: span.events.filter(({ name }) => name === 'exception').map(({ attributes }) => attributes),
      startTime: span.startTime,
    }));
  }

  /** The sums and counts of the metrics, by name and the attributes asked for. */
  async points(name: string): Promise<readonly { readonly attributes: object; readonly value: number }[]> {
    this.#metrics.reset();
    await this.#reader.forceFlush();
    const metrics = this.#metrics
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics));
    return metrics
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap(({ dataPoints }) =>
        dataPoints.map(({ attributes, value }) => ({
          attributes,
          value: typeof value === 'number' ? value : (value as { count: number }).count,
        })),
      );
  }

  async stop(): Promise<void> {
    await this.meterProvider.shutdown();
    await this.tracerProvider.shutdown();
    context.disable();
    propagation.disable();
    trace.disable();
  }
}
