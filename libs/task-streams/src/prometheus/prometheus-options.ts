import { Registry } from 'prom-client';
import {
  functionLike,
  group,
  milliseconds,
  requireObject,
  trueOrFalse,
  withDefault,
  type OptionCheck,
} from '../options/check-option.js';
import { InvalidOptionError } from '../task/config-errors.js';
import { requireQueueName } from '../task/names.js';

/**
 * Options of `TaskStreamsPrometheusModule.register`.
 *
 * @publicApi
 */
export interface TaskStreamsPrometheusOptions {
  /** Where the metrics are served, such as `metrics`; `false` to serve them yourself. Default `metrics`. */
  readonly path?: string | false;
  /** The registry of prom-client to write to, such as its global `register`. Default: one of its own. */
  readonly registry?: Registry;
  /** What every name begins with. Default `task_streams_`. */
  readonly prefix?: string;
  /** Buckets in place of the default ones, by the name of the histogram without the prefix, such as `wait_seconds`. */
  readonly buckets?: Readonly<Record<string, readonly number[]>>;
  /** More queues to show than those this process declares. Default none. */
  readonly queues?: readonly string[];
  /**
   * Show the state of the queues, which is the same in every process. With false only what this process does is shown.
   * Default true.
   */
  readonly readQueues?: boolean;
  /** Milliseconds an answer of Redis is shown again. Default 1000. */
  readonly cacheMs?: number;
  /** Milliseconds a scrape waits for Redis; then it shows the rest. Default 1000. */
  readonly deadlineMs?: number;
}

/** Every option with its value. */
export type ResolvedPrometheusOptions = Required<TaskStreamsPrometheusOptions>;

const PLACE = 'TaskStreamsPrometheusModule.register';

const checkPath: OptionCheck<string | false> = (path, value) => {
  if (value === false) return false;
  if (typeof value === 'string' && /^[\w./-]+$/.test(value)) return value;
  throw new InvalidOptionError(path, value, "give a path such as 'metrics', or false");
};

const checkPrefix: OptionCheck<string> = (path, value) => {
  if (typeof value === 'string' && /^([a-zA-Z_][\w]*)?$/.test(value)) return value;
  throw new InvalidOptionError(path, value, 'give letters, digits and _, such as my_app_tasks_');
};

const checkRegistry: OptionCheck<Registry> = (path, value) => {
  functionLike('give a Registry of prom-client')(
    `${path}.registerMetric`,
    (value as Partial<Registry>)?.registerMetric,
  );
  return value as Registry;
};

const checkQueues: OptionCheck<readonly string[]> = (path, value) => {
  if (Array.isArray(value)) return value.map(requireQueueName);
  throw new InvalidOptionError(path, value, 'give a list of names of queues');
};

const checkBuckets: OptionCheck<Readonly<Record<string, readonly number[]>>> = (path, value) => {
  const buckets = requireObject(path, value);
  for (const [name, bounds] of Object.entries(buckets)) {
    const isRising =
      Array.isArray(bounds) && bounds.length > 0 && bounds.every((bound, i) => i === 0 || bound > bounds[i - 1]);
    if (!isRising || !bounds.every((bound) => typeof bound === 'number'))
      throw new InvalidOptionError(`${path}.${name}`, bounds, 'give rising numbers, such as [0.1, 1, 10]');
  }
  return buckets as Readonly<Record<string, readonly number[]>>;
};

const resolve = group<ResolvedPrometheusOptions>({
  path: withDefault<string | false>('metrics', checkPath),
  registry: (path, value) => (value === undefined ? new Registry() : checkRegistry(path, value)),
  prefix: withDefault('task_streams_', checkPrefix),
  buckets: withDefault({}, checkBuckets),
  queues: withDefault([], checkQueues),
  readQueues: withDefault(true, trueOrFalse),
  cacheMs: withDefault(1_000, milliseconds(0, 60_000)),
  deadlineMs: withDefault(1_000, milliseconds(1, 60_000)),
});

/**
 * Every option with its value.
 *
 * @throws InvalidOptionError for a value that cannot work or a name that is not known.
 */
export function resolvePrometheusOptions(options: TaskStreamsPrometheusOptions): ResolvedPrometheusOptions {
  return resolve(PLACE, options);
}
