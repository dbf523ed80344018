import { expect, it } from 'vitest';
import type { ScenarioReport } from './harness/scenario.js';
import { resultsPages, type ChaosRun } from './results-page.js';

const report = (over: Partial<ScenarioReport>): ScenarioReport => ({
  id: 'F4',
  title: 'a title',
  seed: 1,
  scale: 1,
  tasks: 1_000,
  faults: { 'worker-sigkill': 3, frozen: 2 },
  lost: 0,
  doubled: 0,
  rawDoubled: 4,
  stale: 0,
  recovery: { count: 0, p50: 0, p99: 0, max: 0 },
  counts: {},
  notes: [],
  violations: [],
  seconds: 1,
  passed: true,
  ...over,
});

const resultsPage = (runs: readonly ChaosRun[]) => resultsPages(runs)[0]?.[1] ?? '';

const page = (...reports: ScenarioReport[]) =>
  resultsPage([{ seed: 1, scale: 1, node: 'v20', redis: 'Redis 7.0', cores: 2, reports }]);

it('adds up what was done to the library, and leaves the controls out', () => {
  const text = page(report({}), report({ id: 'F1', doubled: 2 }), report({ id: 'control-x', tasks: 500, lost: 9 }));

  expect(text).toContain('| tasks | 2,000 |');
  expect(text).toContain('| processes killed (workers and Redis) | 6 |');
  expect(text).toContain('| other faults | 4 |');
  expect(text).toContain('| effects doubled under a unique key | 2 |');
  expect(text).toContain('where Redis kept its data | 0 |');
});

it('puts the parts of a seed together, and says that they are parts', () => {
  const about = { seed: 1, scale: 1, node: 'v20', redis: 'Redis 7.0', cores: 2 };
  const text = resultsPage([
    { ...about, build: 'abc', reports: [report({ tasks: 10, passed: false }), report({ id: 'F5', tasks: 20 })] },
    { ...about, build: 'def', reports: [report({ tasks: 30 })] },
    { ...about, seed: 2, build: 'def', reports: [report({ tasks: 40 })] },
  ]);

  expect(text.match(/^## Seed/gm)).toHaveLength(2);
  expect(text).toContain('| tasks | 90 |');
  expect(text).not.toContain('FAIL');
  expect(text.match(/builds .*/g)).toEqual(['builds abc, def.']);
});

it('shows what was forgiven beside what was lost, and 0 for runs that are older than that', () => {
  const text = page(report({ lost: 2, forgiven: 1_300 }), report({ id: 'F5', lost: 0 }));

  expect(text).toContain('| 2 / 1,300 |');
  expect(text).toContain('| 0 / 0 |');
  expect(text).toContain('(forgiven) | 1,300 |');
});

it('counts workers that ended themselves, and leaves out what Redis itself forgot', () => {
  const text = page(report({ counts: { selfKills: 5 } }), report({ id: 'F13-unplanned', stale: 7, lost: 3 }));

  expect(text).toContain('| processes killed (workers and Redis) | 11 |');
  expect(text).toContain('had lost its task, where Redis kept its data | 0 |');
});

it('says what failed, what was skipped and what was caught', () => {
  const text = page(
    report({ passed: false, violations: ['I1: 3 tasks are lost'] }),
    report({ id: 'F20', skipped: 'no faketime' }),
    report({ id: 'control-x', violations: ['I2: left'], passed: true }),
    report({ id: 'control-y', passed: false }),
  );

  for (const said of ['FAIL: I1: 3 tasks are lost', 'skipped: no faketime', 'caught: I2: left', 'NOT CAUGHT'])
    expect(text).toContain(said);
});

it('puts mixed runs on a page of their own, and writes none for what was not run', () => {
  const about = { seed: 1, scale: 1, node: 'v20', redis: 'Redis 7.0', cores: 2 };
  const both = resultsPages([{ ...about, reports: [report({}), report({ id: 'M1', tasks: 7 })] }]);
  expect(both.map(([file]) => file)).toEqual(['docs/chaos-results.md', 'docs/chaos-mixed-results.md']);
  expect(both[0]?.[1]).toContain('| tasks | 1,000 |');
  expect(both[1]?.[1]).toContain('| tasks | 7 |');
  expect(resultsPages([{ ...about, reports: [report({ id: 'M1' })] }])).toHaveLength(1);
});
