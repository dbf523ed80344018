import { metrics, trace, type MeterProvider, type TracerProvider } from '@opentelemetry/api';
import { functionLike, group, oneOf, trueOrFalse, withDefault, type OptionCheck } from '../options/check-option.js';

/**
 * Options of `openTelemetry` and `createTaskTracing`.
 *
 * @publicApi
 */
export interface TaskStreamsOtelOptions {
  /**
   * How an attempt belongs to whoever sent the task: `link` gives it a trace of its own, linked to the sender, because it
   * may run days later and several times; `producer` makes it a child. Default `link`.
   */
  readonly parent?: 'link' | 'producer';
  /** A span for each settlement too. Default true. */
  readonly settleSpans?: boolean;
  /** The metrics of the conventions. Default true. */
  readonly metrics?: boolean;
  /** Carry the baggage of the sender to the handler. It travels as a readable header. Default false. */
  readonly baggage?: boolean;
  /** Whether an error makes its span red. Expected errors of the business need not. Default: every error does. */
  readonly isError?: (error: unknown) => boolean;
  /** Default: the global one. */
  readonly tracerProvider?: TracerProvider;
  /** Default: the global one. */
  readonly meterProvider?: MeterProvider;
}

/** Every option with its value. */
export type ResolvedOtelOptions = Required<TaskStreamsOtelOptions>;

const provider =
  <T>(method: string): OptionCheck<T> =>
  (path, value) => {
    functionLike(`give a provider of @opentelemetry/api`)(
      `${path}.${method}`,
      (value as Record<string, unknown>)[method],
    );
    return value as T;
  };

const resolve = group<ResolvedOtelOptions>({
  parent: withDefault('link', oneOf(['link', 'producer'])),
  settleSpans: withDefault(true, trueOrFalse),
  metrics: withDefault(true, trueOrFalse),
  baggage: withDefault(false, trueOrFalse),
  isError: withDefault(() => true, functionLike('give a function of the error that answers true or false')),
  tracerProvider: (path, value) =>
    value === undefined ? trace.getTracerProvider() : provider<TracerProvider>('getTracer')(path, value),
  meterProvider: (path, value) =>
    value === undefined ? metrics.getMeterProvider() : provider<MeterProvider>('getMeter')(path, value),
});

/**
 * Every option with its value.
 *
 * @throws InvalidOptionError for a value that cannot work or a name that is not known.
 */
export function resolveOtelOptions(options: TaskStreamsOtelOptions): ResolvedOtelOptions {
  return resolve('openTelemetry', options);
}
