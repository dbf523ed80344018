import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { MetricDefinition } from './definitions.js';

/** The class of prom-client for a definition. */
type MetricOf<D extends MetricDefinition> = D['type'] extends 'counter'
  ? Counter<D['labels'][number]>
  : D['type'] extends 'gauge'
    ? Gauge<D['labels'][number]>
    : Histogram<D['labels'][number]>;

export type MetricSet<D extends Readonly<Record<string, MetricDefinition>>> = {
  readonly [K in keyof D]: MetricOf<D[K]>;
};

/** How metrics are made. */
export interface MetricSettings {
  readonly registry: Registry;
  readonly prefix: string;
  /** In place of the default buckets of a histogram, by its name without the prefix. */
  readonly buckets: Readonly<Record<string, readonly number[]>>;
}

/**
 * Makes metrics in a registry.
 *
 * @throws Error of prom-client where the registry has one of the same name.
 */
export function createMetrics<D extends Readonly<Record<string, MetricDefinition>>>(
  definitions: D,
  settings: MetricSettings,
): MetricSet<D> {
  const metrics = Object.entries(definitions).map(([key, definition]) => [key, createMetric(definition, settings)]);
  return Object.fromEntries(metrics) as MetricSet<D>;
}

/** Takes them out of the registry again. */
export function removeMetrics(
  definitions: Readonly<Record<string, MetricDefinition>>,
  { registry, prefix }: MetricSettings,
): void {
  for (const { name } of Object.values(definitions)) registry.removeSingleMetric(prefix + name);
}

function createMetric(definition: MetricDefinition, { registry, prefix, buckets }: MetricSettings) {
  const { name, type, labels, help } = definition;
  const config = { name: prefix + name, help, labelNames: [...labels], registers: [registry] };
  switch (type) {
    case 'counter':
      return new Counter(config);
    case 'gauge':
      return new Gauge(config);
    case 'histogram':
      return new Histogram({ ...config, buckets: [...(buckets[name] ?? definition.buckets ?? [])] });
  }
}
