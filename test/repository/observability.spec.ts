import { existsSync } from 'node:fs';
import { Logger, type LoggerService } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logManyRedriven, logRedriven } from '../../libs/task-streams/src/dead-letters/log-redrive.js';
import type { TaskOutcome } from '../../libs/task-streams/src/task/task-outcome.js';
import { FRESH_META } from '../../libs/task-streams/src/task/task-meta.js';
import { ATTR, METRIC } from '../../libs/task-streams/src/otel/semconv.js';
import { ALL_METRICS } from '../../libs/task-streams/src/prometheus/definitions.js';
import * as labels from '../../libs/task-streams/src/prometheus/label-values.js';
import { LOG_EVENTS } from '../../libs/task-streams/src/watch/log-fields.js';
import { LoggingObserver } from '../../libs/task-streams/src/watch/logging-observer.js';
import { TASK_EVENT_KINDS } from '../../libs/task-streams/src/handlers/on-task-event.decorator.js';
import { deadLetter } from '../support/broker/settlements.js';
import { deliveryOf } from '../support/nest/deliveries.js';
import { readText } from '../support/source-tree.js';

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

  it('has every event', () => {
    expect(firstCells('event | when')).toEqual([...TASK_EVENT_KINDS]);
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

  it('are those that are written', () => {
    expect(firstCells('`event` | level')).toEqual([...LOG_EVENTS]);
    expect(new Set(lines.map(({ event }) => event))).toEqual(new Set(LOG_EVENTS));
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
  const delivery = deliveryOf({});
  const traceOf = () => ({ traceId: 't', spanId: 's' });
  const log = new LoggingObserver(true, { consumer: 'w', traceOf });
  const error = { name: 'Error', message: 'no', code: 'E' };
  const dead = deadLetter('timeout', { error, history: [] });
  const complete = {
    kind: 'complete',
    result: { kind: 'omitted', reason: 'off' },
    key: undefined,
    followUps: [],
  } as const;
  const outcomes: TaskOutcome[] = [
    { kind: 'cancel', request: { at: 1, reason: 'r', by: 'ann' } },
    { ...complete, replayed: false },
    { ...complete, replayed: true },
    { kind: 'retry', delayMs: 1, meta: FRESH_META, error },
    { kind: 'defer', delayMs: 1, meta: FRESH_META, why: 'busy', expected: true },
    dead,
    { kind: 'expired', error, failedAttempts: 1 },
    { kind: 'release' },
  ];
  for (const kind of ['started', 'lease-lost', 'abandoned'] as const) log.observe({ kind, delivery });
  log.observe({ kind: 'reclaimed', delivery, previousOwner: 'w' });
  for (const outcome of outcomes)
    log.observe({ kind: 'settled', delivery, outcome, reply: { kind: 'done' }, durationMs: 1 });
  log.observe({ kind: 'settled', delivery, outcome: dead, reply: { kind: 'fenced' }, durationMs: 1 });
  log.observe({ kind: 'stuck', delivery, abandonedMs: 1 });
  log.observe({ kind: 'suspect', delivery, now: 'alone' });
  log.observe({ kind: 'payload-deleted', queue: 'q', count: 1 });
  log.observe({ kind: 'dead-letters-dropped', queue: 'q', count: 1 });
  log.observe({ kind: 'lease-late', queue: 'q', sinceMs: 1, leaseMs: 2, heldCount: 1, why: 'redis' });
  log.observe({ kind: 'redis-error', queue: 'q', operation: 'fetch', error: new Error('down') });
  log.observe({ kind: 'redis-recovered', queue: 'q', operation: 'fetch' });
  const item = { id: 'a', name: 'n', idempotencyKey: '', head: '', body: '', hash: '', delayMs: 0, runAt: 0 };
  logRedriven('q', { kind: 'moved', taskId: 'a', name: 'n', entryId: '1-0' }, true);
  const report = { operation: 'o', matched: 1, done: 1, refused: 0, refusals: {}, failed: 0, problems: [] };
  logManyRedriven('q', 'ann', { ...report, cursor: undefined });
  log.observeProducer({ kind: 'enqueued', queue: 'q', item, isDuplicate: false, isContract: false });
}
