import { judge, leftovers, type DeadTask, type Findings } from '../checker/check.js';
import { lateEffects, staleSettlements } from '../checker/fences.js';
import { groupBy, History } from '../checker/history.js';
import { Rewound } from '../checker/rewound.js';
import { recoveryTimes, spreadOf } from '../checker/recovery.js';
import { QUEUE } from '../worker/settings.js';
import { Bench } from './bench.js';
import type { RunContext } from './bench-options.js';
import { readLedger } from './ledger.js';
import type { Scenario, ScenarioReport } from './scenario.js';
import { comesTrue } from './until.js';

const DRAIN_MS = 60_000;
const SMALL_DRAIN_MS = 20_000;
const CONTROL_DRAIN_MS = 4_000;
const TIMEOUT_MS = 15 * 60_000;

/** Runs one scenario from its first server to its verdict, and leaves nothing behind. */
export async function runScenario(scenario: Scenario, context: RunContext): Promise<ScenarioReport> {
  const startedAt = performance.now();
  const bench = new Bench(scenario, context);
  try {
    await withTimeout(scenario.run(bench), scenario.timeoutMs ?? TIMEOUT_MS);
  } catch (error) {
    bench.problems.push(`the scenario could not be carried out: ${describe(error)}`);
  }
  try {
    return await conclude(bench, startedAt);
  } finally {
    await bench.close();
  }
}

async function conclude(bench: Bench, startedAt: number): Promise<ScenarioReport> {
  if (bench.skipped !== undefined) return skippedReport(bench, bench.skipped);
  const isDrained = await comesTrue(() => bench.watch.isDrained(), drainMs(bench));
  const problems = [...bench.problems];
  if (bench.hasFleet) {
    for (const { pid, code, signal } of bench.fleet.unmeantExits) {
      problems.push(`worker ${pid} ended by itself (${signal ?? `exit code ${code}`})`);
    }
    if (problems.length > 0) await bench.fleet.ready().catch(() => undefined);
    await bench.fleet.stop();
  }
  const history = new History(readLedger(bench.ledgerDir));
  if (bench.judge) return concludeOwn(bench, history, problems, startedAt);
  const found = await lookAtRedis(bench, history).catch((error: unknown): Looked => {
    problems.push(`Redis cannot be looked at: ${describe(error)}`);
    return { states: new Map(), dead: [], bodies: new Map(), results: new Map(), left: [] };
  });
  const { lost, forgiven, violations } = judge({ history, ...found, isDrained }, bench.expected);
  if (isDrained && !bench.expected.areLeftoversMeant) violations.push(...found.left);
  return report(bench, history, {
    lost: lost.length,
    forgiven: forgiven.length,
    violations: [...violations, ...problems],
    startedAt,
  });
}

async function concludeOwn(bench: Bench, history: History, problems: string[], startedAt: number) {
  const verdict = await bench.judge?.(history).catch((error: unknown) => {
    problems.push(`the run cannot be judged: ${describe(error)}`);
  });
  const { lost = [], forgiven = [], violations = [] } = verdict ?? {};
  const counts = { lost: lost.length, forgiven: forgiven.length };
  return report(bench, history, { ...counts, violations: [...violations, ...problems], startedAt });
}

function drainMs({ scenario, isSmall }: Bench): number {
  if (scenario.mustFail) return CONTROL_DRAIN_MS;
  return isSmall ? SMALL_DRAIN_MS : DRAIN_MS;
}

type Looked = Omit<Findings, 'history' | 'isDrained'> & { readonly left: readonly string[] };

async function lookAtRedis(bench: Bench, history: History): Promise<Looked> {
  const records = [...(await bench.watch.records([...history.acked.keys()]))];
  const dead: DeadTask[] = [];
  let cursor: string | undefined;
  do {
    const page = await bench.producer.deadLetters.list(QUEUE, { limit: 1_000, cursor });
    dead.push(...page.letters.map(({ taskId, reason, body }) => ({ id: taskId, reason, body })));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return {
    states: new Map(records.map(([id, { state }]) => [id, state])),
    results: new Map(records.flatMap(([id, { state, result }]) => (state === 'completed' ? [[id, result]] : []))),
    bodies: new Map([...bench.producer.sent].map(([id, { payload }]) => [id, JSON.stringify(payload)])),
    dead,
    left: await leftovers(bench.watch),
  };
}

interface Outcome {
  readonly lost: number;
  readonly forgiven: number;
  readonly violations: readonly string[];
  readonly startedAt: number;
}

function report(bench: Bench, history: History, { lost, forgiven, violations, startedAt }: Outcome): ScenarioReport {
  const { scenario, context } = bench;
  const rawDoubled = doubled(history.effects);
  const rewound = new Rewound(history);
  const faults = groupBy(history.faults, ({ fault }) => fault);
  const counts = {
    enqueued: history.acked.size,
    completed: history.completed().size,
    starts: history.starts.length,
    reclaimed: history.handouts.filter(({ kind }) => kind === 'reclaimed').length,
    fenced: history.settles.filter(({ reply }) => reply === 'fenced').length,
    gone: history.settles.filter(({ reply }) => reply === 'gone').length,
    leaseLost: history.count('lease-lost'),
    lateEffects: lateEffects(history),
    selfKills: history.kills.length,
    uncertain: history.uncertain.size,
  };
  return {
    id: scenario.id,
    title: scenario.title,
    seed: context.seed,
    scale: context.scale,
    tasks: history.intents.size,
    faults: Object.fromEntries([...faults].map(([name, lines]) => [name, lines.length])),
    lost,
    forgiven,
    doubled: bench.expected.hasUniqueEffects ? doubled(history.onces) : rawDoubled,
    rawDoubled,
    stale: staleSettlements(history, ({ t }) => rewound.covers(t)).length,
    recovery: spreadOf(recoveryTimes(history)),
    counts,
    notes: bench.notes,
    violations,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    passed: isAsItShouldBe(scenario, violations),
  };
}

function isAsItShouldBe({ mustFail }: Pick<Scenario, 'mustFail'>, violations: readonly string[]): boolean {
  return mustFail === undefined ? violations.length === 0 : violations.some((one) => one.startsWith(mustFail));
}

function doubled(effects: readonly { readonly key: string }[]): number {
  return [...groupBy(effects, ({ key }) => key).values()].filter((lines) => lines.length > 1).length;
}

function skippedReport({ scenario, context, notes }: Bench, skipped: string): ScenarioReport {
  const nothing = { lost: 0, forgiven: 0, doubled: 0, rawDoubled: 0, stale: 0, tasks: 0, seconds: 0 };
  const { id, title } = scenario;
  const { seed, scale } = context;
  const recovery = { count: 0, p50: 0, p99: 0, max: 0 };
  return {
    id,
    title,
    seed,
    scale,
    ...nothing,
    faults: {},
    recovery,
    counts: {},
    notes,
    violations: [],
    passed: true,
    skipped,
  };
}

async function withTimeout(work: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
