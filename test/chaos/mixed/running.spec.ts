import { describe, expect, it } from 'vitest';
import { History } from '../checker/history.js';
import type { LedgerLine } from '../harness/ledger-lines.js';
import { Rewound } from '../checker/rewound.js';
import { repeats, secondBegins, standstills } from './running.js';
import { Runs } from './runs.js';
import type { MixedTask } from './tasks.js';

const PID = 7;

/** A run of a task from `t` on, and what its settlement came to 10 ms later. */
function run(t: number, outcome: string, reply: string, { id = 'a', attempt = 1 } = {}): LedgerLine[] {
  const place = { pid: PID, id, entryId: `e${t}`, fence: `w.${t}.1` };
  return [
    { ...place, t, kind: 'start', key: id, attempt, deliveries: 1, mono: t },
    { ...place, t: t + 10, kind: 'settle', outcome, reply },
  ];
}

/** Sent, and answered so many milliseconds later. */
const acked = (t: number, id = 'a', duplicate = false, tookMs = 1): LedgerLine[] => [
  { t, pid: 1, kind: 'intent', id, key: id },
  { t: t + tookMs, pid: 1, kind: 'acked', id, duplicate },
];

function judged(...lines: readonly (LedgerLine | readonly LedgerLine[])[]) {
  const history = new History(lines.flat().sort((a, b) => a.t - b.t));
  const runs = new Runs(history, new Set());
  return { history, runs, rewound: new Rewound(history) };
}

function repeatsOf(...lines: readonly (LedgerLine | readonly LedgerLine[])[]): string[] {
  const { history, runs, rewound } = judged(...lines);
  return repeats(runs, history, rewound).map(([kind]) => kind);
}

it('finds a task that runs again after it was done, and none that comes to another attempt', () => {
  expect(repeatsOf(acked(1), run(10, 'complete', 'done'), run(50, 'complete', 'done'))).toEqual([
    'I3: tasks that ran again after complete',
  ]);
  expect(repeatsOf(acked(1), run(10, 'retry', 'done'), run(50, 'complete', 'done'))).toEqual([]);
});

it('forgives a task whose entry was deleted only where it was sent again before it ran again', () => {
  const first = [...acked(1), ...run(10, 'retry', 'deleted')];
  const second = run(50, 'complete', 'done');
  expect(repeatsOf(first, acked(30), second)).toEqual([]);
  // A worker has it before its sender is answered.
  expect(repeatsOf(first, acked(30, 'a', false, 25), second)).toEqual([]);
  expect(repeatsOf(first, second)).toEqual(['I3: tasks that ran again after retry']);
  expect(repeatsOf(first, acked(30, 'a', true), second)).toHaveLength(1);
  expect(repeatsOf(first, acked(70), second)).toHaveLength(1);
  expect(repeatsOf(acked(1), run(10, 'complete', 'done'), acked(30), second)).toHaveLength(1);
});

it('forgives a start behind its back only to a worker that was stopped while it started what it had just been handed', () => {
  const late = run(500, 'complete', 'fenced');
  const handout = (t: number): LedgerLine => {
    return { t, pid: PID, kind: 'handout', id: 'a', entryId: 'e500', fence: 'w.500.1', deliveries: 1 };
  };
  const stop = (t: number): LedgerLine => ({
    t,
    pid: 1,
    kind: 'fault',
    fault: 'worker-sigstop',
    victim: PID,
    until: 490,
  });
  const done = [...acked(1), ...run(300, 'complete', 'done')];
  expect(repeatsOf(done, handout(10), stop(11), late)).toEqual([]);
  expect(repeatsOf(done, handout(10), late)).toHaveLength(1);
  expect(repeatsOf(done, handout(10), stop(200), late)).toHaveLength(1);
  expect(repeatsOf(done, handout(10), { ...stop(11), victim: 8 } as LedgerLine, late)).toHaveLength(1);
  expect(repeatsOf(done, handout(10), stop(11), run(500, 'complete', 'done'))).toHaveLength(1);
});

it('forgives what a replica need not have, and what came before and after that not', () => {
  const failOver: LedgerLine = { t: 100, pid: 1, kind: 'fault', fault: 'x', mayLose: { from: 90, until: 110 } };
  const again = run(500, 'complete', 'done');
  expect(repeatsOf(failOver, run(85, 'complete', 'done'), again)).toEqual([]);
  expect(repeatsOf(failOver, run(60, 'complete', 'done'), again)).toHaveLength(1);
  expect(repeatsOf(failOver, run(150, 'complete', 'done'), again)).toHaveLength(1);
});

it('finds an attempt that was begun twice, whatever became of the first', () => {
  const { runs } = judged(run(10, 'retry', 'done'), run(50, 'complete', 'fenced', { attempt: 2 }), [
    ...run(60, 'complete', 'done', { attempt: 2 }),
  ]);
  expect(secondBegins(runs)).toHaveLength(1);
  expect(secondBegins(judged(run(10, 'retry', 'done'), run(50, 'complete', 'done', { attempt: 2 })).runs)).toEqual([]);
});

/** Where the queue stood still between the run of `b` and a late run of `a`. */
function standing(lines: readonly LedgerLine[], { isKeyed = false } = {}): string[] {
  const tasks = ['a', 'b', 'c'].map(
    (id) => ({ id, queue: 'm-victim', payload: { key: id, ms: 1, looksFirst: isKeyed } }) as MixedTask,
  );
  const { history, runs } = judged(acked(1, 'b'), run(10, 'complete', 'done', { id: 'b' }), lines);
  return standstills(tasks, history, runs, 1_000).map(([, example]) => example);
}

it('counts the wait of a task that was deleted by hand from when it was sent again', () => {
  const late = run(5_000, 'complete', 'done');
  expect(standing([...acked(5), ...late])).toEqual(['4990 ms (a)']);
  expect(standing([...acked(5), ...acked(4_900), ...late])).toEqual([]);
});

it('counts no wait of a task that was delivered and met a crash: it may be a suspect since then', () => {
  const met: LedgerLine = { t: 8, pid: 9, kind: 'handout', id: 'a', entryId: 'e', fence: 'w.8.1', deliveries: 1 };
  expect(standing([...acked(5), met, ...run(5_000, 'complete', 'done')])).toEqual([]);
});

it('lets a task with a key wait for a suspect that has the key, and no longer', () => {
  expect(standing([...acked(5), ...run(30_000, 'complete', 'done')], { isKeyed: true })).toEqual([]);
  expect(standing([...acked(5), ...run(32_000, 'complete', 'done')], { isKeyed: true })).toEqual(['31990 ms (a)']);
});

describe('crashes that met a task', () => {
  const DEAD = 9;
  const deliver = (t: number, pid: number, entryId: string): LedgerLine => {
    return { t, pid, kind: 'handout', id: 'a', entryId, fence: `w.${t}.1`, deliveries: 1 };
  };
  const settle = (t: number, pid: number, from: number, outcome: string): LedgerLine => {
    return { t, pid, kind: 'settle', id: 'a', entryId: 'e', fence: `w.${from}.1`, outcome, reply: 'done' };
  };
  const wereAllLost = (...lines: readonly LedgerLine[]) =>
    new Runs(new History(lines), new Set([DEAD])).wereAllLost('a');
  const failedOnce = [deliver(1, PID, 'e1'), settle(2, PID, 1, 'retry')];

  it('excuse a dead letter where they met each delivery of its last entry, also before the handler was called', () => {
    expect(
      wereAllLost(...failedOnce, deliver(5, DEAD, 'e2'), deliver(9, PID, 'e2'), settle(9, PID, 9, 'dead-letter')),
    ).toBe(true);
  });

  it('excuse none that a worker which lives had, or whose handler decided', () => {
    expect(
      wereAllLost(...failedOnce, deliver(5, PID, 'e2'), deliver(9, PID, 'e2'), settle(9, PID, 9, 'dead-letter')),
    ).toBe(false);
    expect(wereAllLost(...failedOnce)).toBe(false);
    expect(wereAllLost()).toBe(false);
  });
});
