import { limitSide } from './modes.mjs';
import { runOnce } from './run-once.mjs';
import { pairedRatio, spreadOf } from './statistics.mjs';

/**
 * @typedef {import('./child/plan.js').RunResult} RunResult
 * @typedef {import('./child/plan.js').SideName} SideName
 * @typedef {import('./modes.mjs').Mode} Mode
 * @typedef {import('./run-once.mjs').BenchContext} BenchContext
 * @typedef {import('./statistics.mjs').Spread} Spread
 */

/** @typedef {'tasks/s' | 'ms' | 'bytes'} Unit */

/**
 * One side of a mode over all rounds.
 *
 * @typedef {object} SideFigures
 * @property {SideName} side
 * @property {Spread} value in the unit of the mode; the median of a latency is its p50
 * @property {Spread | undefined} ratio against the reference, over the ratios of the rounds; undefined without it
 * @property {Spread | undefined} nodeMicros CPU of Node, microseconds a task
 * @property {Spread | undefined} redisMicros CPU of Redis, microseconds a task
 * @property {Spread | undefined} cpuMicros both together
 * @property {Spread | undefined} cpuRatio how many times as much of it the reference takes
 * @property {Spread | undefined} limitShare of the rate of the raw client; undefined without it
 * @property {Spread | undefined} p95 of a latency, in milliseconds
 * @property {Spread | undefined} p99
 * @property {readonly (Omit<RunResult, 'endings'> & { endingsChecked: number })[]} runs one a round
 */

/**
 * @typedef {object} ModeFigures
 * @property {string} mode
 * @property {string} title
 * @property {SideName} reference
 * @property {Unit} unit
 * @property {number} taskCount
 * @property {number} rounds
 * @property {readonly SideFigures[]} sides
 */

/**
 * Runs the sides of a mode in turn, A B C A B C, at the same number of tasks.
 *
 * @param {BenchContext} context
 * @param {Mode} mode
 * @param {{ taskCount: number, rounds: number, sides?: readonly SideName[], budgetMs?: number, onRun?: (line: string) => void }} options `budgetMs`: no
 *   round but the first begins later than that; without limit unless told
 * @returns {Promise<ModeFigures>}
 */
export async function measureMode(context, mode, options) {
  const { taskCount, sides = mode.sides, budgetMs = Infinity, onRun = () => {} } = options;
  const startedAt = performance.now();
  const unit = unitOf(mode);
  /** @type {Map<SideName, RunResult[]>} */
  const results = new Map(sides.map((side) => [side, []]));
  let rounds = 0;
  while (rounds === 0 || (rounds < options.rounds && performance.now() - startedAt < budgetMs)) {
    rounds += 1;
    for (const side of sides) {
      const result = await runOnce(context, mode, side, taskCount);
      results.get(side)?.push(result);
      onRun(`${mode.name} ${rounds}/${options.rounds} ${side}: ${formatRun(result, unit)}`);
    }
  }
  const reference = results.get(mode.reference);
  const limit = results.get(limitSide);
  return {
    mode: mode.name,
    title: mode.title,
    reference: mode.reference,
    unit,
    taskCount,
    rounds,
    sides: sides.map((side) => figuresOf(side, results.get(side) ?? [], unit, { reference, limit })),
  };
}

/**
 * @param {SideName} side
 * @param {readonly RunResult[]} results
 * @param {Unit} unit
 * @param {{ reference: readonly RunResult[] | undefined, limit: readonly RunResult[] | undefined }} others
 * @returns {SideFigures}
 */
function figuresOf(side, results, unit, { reference, limit }) {
  const valuesOf = (/** @type {readonly RunResult[]} */ runs) => runs.map((run) => valueOf(run, unit));
  const values = valuesOf(results);
  const spread = (/** @type {(result: RunResult) => number | undefined} */ read) => {
    const known = results.map(read).filter((value) => value !== undefined);
    return known.length === results.length ? spreadOf(known) : undefined;
  };
  return {
    side,
    value: spreadOf(values),
    ratio: reference && pairedRatio(values, valuesOf(reference)),
    nodeMicros: spread((result) => result.nodeMicros),
    redisMicros: spread((result) => result.redisMicros),
    cpuMicros: spread(cpuOf),
    cpuRatio: reference && cpuRatio(reference, results),
    limitShare: unit === 'tasks/s' && limit ? pairedRatio(values, valuesOf(limit)) : undefined,
    p95: spread((result) => result.latency?.p95),
    p99: spread((result) => result.latency?.p99),
    runs: results.map(withoutEndings),
  };
}

/** @param {RunResult} result */
function cpuOf({ nodeMicros, redisMicros }) {
  return nodeMicros === undefined || redisMicros === undefined ? undefined : nodeMicros + redisMicros;
}

/**
 * @param {readonly RunResult[]} reference
 * @param {readonly RunResult[]} results
 */
function cpuRatio(reference, results) {
  const [theirs, ours] = [reference, results].map((runs) => runs.map(cpuOf).filter((cpu) => cpu !== undefined));
  return ours?.length === results.length && theirs?.length === ours.length ? pairedRatio(theirs, ours) : undefined;
}

/**
 * What is kept of a run: the ledger has been checked, and is as long as the run had tasks.
 *
 * @param {RunResult} result
 */
function withoutEndings(result) {
  const { endings, ...rest } = result;
  return { ...rest, endingsChecked: endings.length };
}

/**
 * @param {Mode} mode
 * @returns {Unit}
 */
function unitOf({ kind }) {
  if (kind === 'latency') return 'ms';
  return kind === 'memory-waiting' || kind === 'memory-done' ? 'bytes' : 'tasks/s';
}

/**
 * @param {RunResult} result
 * @param {Unit} unit
 */
function valueOf({ taskCount, seconds, latency, bytesPerTask }, unit) {
  const value = { 'tasks/s': seconds && taskCount / seconds, ms: latency?.p50, bytes: bytesPerTask }[unit];
  if (value === undefined) throw new Error(`A run gave no ${unit}`);
  return value;
}

/**
 * @param {RunResult} result
 * @param {Unit} unit
 */
function formatRun(result, unit) {
  const value = valueOf(result, unit).toFixed(unit === 'ms' ? 3 : 0);
  if (result.nodeMicros === undefined) return `${value} ${unit}`;
  const cpu = `${result.nodeMicros.toFixed(1)} + ${(result.redisMicros ?? 0).toFixed(1)} µs`;
  return `${value} ${unit} in ${(result.seconds ?? 0).toFixed(2)} s, ${cpu}`;
}
