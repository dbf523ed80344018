import { existsSync } from 'node:fs';
import { Logger, type LoggerService } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logManyRedriven, logRedriven } from '../../libs/task-streams/src/dead-letters/log-redrive.js';
import { ATTR, METRIC } from '../../libs/task-streams/src/otel/semconv.js';
import { ALL_METRICS } from '../../libs/task-streams/src/prometheus/definitions.js';
import * as labels from '../../libs/task-streams/src/prometheus/label-values.js';
import type { WatchedEvent } from '../../libs/task-streams/src/watch/fact.interface.js';
import { FactFeed } from '../../libs/task-streams/src/watch/fact-feed.js';
import { FACT_NAMES, rowOf } from '../../libs/task-streams/src/watch/facts.js';
import { LoggingObserver } from '../../libs/task-streams/src/watch/logging-observer.js';
import { readText } from '../support/source-tree.js';
import { EVERY_EVENT } from '../support/watch/every-event.js';

const text = readText('docs/observability.md');
const alerts = readText('deploy/observability/prometheus/alerts.yml');
const dashboard = readText('deploy/observability/grafana/dashboards/task-streams.json');

/** The rows of the table whose head begins so, as lists of cells. */
function table(head: string): string[][] {
  const [, after = ''] = text.split(`\n| ${head}`);
  const [block = ''] = after.split('\n\n');
  return block
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

const sorted = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

const firstCells = (head: string) => table(head).map(([cell = '']) => cell.replaceAll('`', ''));

describe('docs/observability.md', () => {
  it('has every metric, with its type and labels, and no other', () => {
    const documented = table('metric | type | labels').map(([name, type, names]) => [name, type, names]);
    const defined = Object.values(ALL_METRICS).map(({ name, type, labels: names }) => [
      `\`${name}\``,
      type,
      names.join(', '),
    ]);
    expect(sorted(documented)).toEqual(sorted(defined));
  });

  it('has every value of the labels', () => {
    const { OTHER, ...lists } = labels;
    const documented = table('label | values').map(([, values]) => values);
    const defined = Object.values(lists).map((list) => list.map((value) => `\`${value}\``).join(', '));
    expect(sorted(documented)).toEqual(sorted(defined));
    expect(text).toContain(`\`${OTHER}\``);
  });

  it('has every attribute of a span and every metric of OpenTelemetry', () => {
    expect(firstCells('attribute | on').sort()).toEqual([...Object.values(ATTR)].sort());
    expect(firstCells('metric | type | what it is')).toEqual([...Object.values(METRIC)]);
  });
});

describe('the log lines in docs/observability.md', () => {
  const lines: Record<string, unknown>[] = [];

  beforeAll(() => {
    const keep = (_message: unknown, fields: Record<string, unknown>) => void lines.push(fields);
    Logger.overrideLogger({ log: keep, warn: keep, error: keep, debug: keep } as unknown as LoggerService);
    writeEveryLine();
  });

  afterAll(() => Logger.overrideLogger(['log', 'error', 'warn']));

  it('are those of the table of facts', () => {
    const told = FACT_NAMES.filter((name) => rowOf(name).say !== undefined);
    expect(new Set(lines.map(({ event }) => event))).toEqual(new Set(told));
  });

  it('have the fields that are written', () => {
    const written = new Set(lines.flatMap((fields) => Object.keys(fields)));
    expect(firstCells('field | what').sort()).toEqual([...written].sort());
  });
});

describe('the alerts and the dashboard', () => {
  it('ask for metrics that exist', () => {
    const known = Object.values(ALL_METRICS).flatMap(({ name, type }) =>
      type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
    );
    const asked = [...`${alerts}${dashboard}`.matchAll(/task_streams_(\w+)/g)].map(([, name]) => name);
    expect(asked.length).toBeGreaterThan(40);
    expect(asked.filter((name) => !known.includes(name ?? ''))).toEqual([]);
  });

  it('have a runbook for each alert', () => {
    const names = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    const runbooks = [...alerts.matchAll(/runbook_url: (\S+)/g)].map(([, url]) => url);
    const sections = [...text.matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
    expect(sections).toEqual(names);
    expect(runbooks).toEqual(names.map((name) => `docs/observability.md#${name.toLowerCase()}`));
  });

  it('are where docker-compose.yml looks for them', () => {
    const mounts = [...readText('docker-compose.yml').matchAll(/- \.\/(deploy\/\S+?):/g)].map(([, path = '']) => path);
    expect(mounts).toHaveLength(3);
    expect(mounts.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
  });
});

function writeEveryLine(): void {
  const traceOf = () => ({ traceId: 't', spanId: 's' });
  const log = new LoggingObserver(true, { consumer: 'w', traceOf });
  const events = new FactFeed<WatchedEvent>();
  events.listen(log);
  for (const event of Object.values(EVERY_EVENT)) events.observe(event);
  events.observe({ ...EVERY_EVENT.completed, kind: 'settled', reply: { kind: 'fenced' } } as WatchedEvent);
  logRedriven('q', { kind: 'moved', taskId: 'a', name: 'n', entryId: '1-0' }, true);
  const report = { operation: 'o', matched: 1, done: 1, refused: 0, refusals: {}, failed: 0, problems: [] };
  logManyRedriven('q', 'ann', { ...report, cursor: undefined });
}
