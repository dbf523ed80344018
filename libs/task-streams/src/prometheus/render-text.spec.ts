import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { renderText } from './render-text.js';

const AWKWARD = ['', 'a "quoted" word', 'back\\slash', 'two\nlines', 'a,b={c}', '\\"\n', 'naïve ☃'];

function registryOf(...make: readonly ((registers: Registry[]) => unknown)[]): Registry {
  const registry = new Registry();
  for (const one of make) one([registry]);
  return registry;
}

const counted = (registers: Registry[]) => {
  const counter = new Counter({ name: 'orders_total', help: 'Orders', labelNames: ['shop', 'state'], registers });
  for (const shop of AWKWARD) counter.inc({ shop, state: 'paid' }, 3);
};

const gauged = (registers: Registry[]) => {
  const gauge = new Gauge({ name: 'level', help: 'A \\ and\na line', labelNames: ['at'], registers });
  [0, -0, 1.5, 1e21, 1e-7, -3, Infinity, -Infinity].forEach((value, at) => gauge.set({ at: String(at) }, value));
  new Gauge({ name: 'plain', help: 'Without labels', registers }).set(7);
};

const spread = (registers: Registry[]) => {
  const histogram = new Histogram({ name: 'took', help: 'h', labelNames: ['queue'], buckets: [0.1, 1], registers });
  histogram.zero({ queue: 'idle' });
  histogram.observe({ queue: 'a "b"' }, 0.5);
  histogram.observe({ queue: 'a "b"' }, 5);
  new Histogram({ name: 'bare', help: 'h', buckets: [1], registers }).observe(2);
  new Summary({ name: 'sum', help: 'h', labelNames: ['q'], percentiles: [0.5], registers }).observe({ q: 'x' }, 2);
};

describe('the text of a registry', () => {
  it.each([
    ['counters with labels of any text', registryOf(counted)],
    ['gauges of any number, with and without labels', registryOf(gauged)],
    ['histograms and summaries', registryOf(spread)],
    ['all of them', registryOf(counted, gauged, spread)],
    [
      'a metric that nothing was written to',
      registryOf((registers) => new Gauge({ name: 'empty', help: 'h', labelNames: ['a'], registers })),
    ],
  ])('is what prom-client writes: %s', async (_what, registry) => {
    expect(await renderText(registry)).toBe(await registry.metrics());
  });

  it('has the default labels of the registry', async () => {
    const registry = registryOf(counted, gauged, spread);
    registry.setDefaultLabels({ region: 'eu "west"' });

    const lines = (text: string) => text.split('\n').map((line) => [...line].toSorted().join(''));

    // The order of labels means nothing.
    expect(lines(await renderText(registry))).toEqual(lines(await registry.metrics()));
    expect(await renderText(registry)).toContain('region="eu \\"west\\""');
  });

  it('says that a number is none as the format has it', async () => {
    const registry = registryOf((registers) => new Gauge({ name: 'g', help: 'h', registers }).set(NaN));

    expect(await renderText(registry)).toBe('# HELP g h\n# TYPE g gauge\ng NaN\n');
  });

  it('is what a metric collects when it is asked', async () => {
    const registry = registryOf(
      (registers) =>
        new Gauge({
          name: 'now',
          help: 'h',
          registers,
          async collect() {
            await Promise.resolve();
            this.set(42);
          },
        }),
    );

    expect(await renderText(registry)).toContain('\nnow 42\n');
  });
});
