/**
 * @typedef {import('./child/plan.js').RunPlan} RunPlan
 * @typedef {import('./child/plan.js').SideName} SideName
 */

/**
 * Something to measure.
 *
 * @typedef {object} Mode
 * @property {string} name
 * @property {string} title for people
 * @property {RunPlan['kind'] | 'workers'} kind
 * @property {number} taskCount so many that a run takes 1 to 4 seconds on two idle cores, where the sides let it
 * @property {number} quickCount the same with `--quick`; 0 leaves the mode out
 * @property {readonly SideName[]} sides
 * @property {number} concurrency
 * @property {number} payloadBytes
 * @property {RunPlan['style']} style
 * @property {RunPlan['work']} work
 * @property {number} behindCount
 * @property {boolean} isKeeping
 * @property {number} [leaseMs]
 * @property {number} workerCount processes that run tasks; 1 except for `workers`
 * @property {SideName} reference the side that the others are compared with
 * @property {boolean} isAppendOnly whether Redis writes to an append-only file that goes to the disk every second
 */

/** The side that everything is compared with but where a mode says otherwise. @type {SideName} */
export const referenceSide = 'nest-bullmq';
/** What nothing that uses the same client and server can be faster than. @type {SideName} */
export const limitSide = 'raw-ioredis';

/** @type {readonly SideName[]} */
const everySide = ['task-streams', 'nest-bullmq', 'bullmq', 'bee-queue', 'raw-ioredis'];
/** @type {readonly SideName[]} */
const libraries = ['task-streams', 'nest-bullmq', 'bullmq', 'bee-queue'];
/** @type {readonly SideName[]} */
const twoSides = ['task-streams', 'nest-bullmq'];
/** @type {readonly SideName[]} */
const threeSides = ['task-streams', 'nest-bullmq', 'bullmq'];

/** @type {Omit<Mode, 'name' | 'title' | 'kind' | 'taskCount' | 'quickCount'>} */
const usual = {
  sides: threeSides,
  reference: referenceSide,
  concurrency: 100,
  payloadBytes: 200,
  style: 'bulk',
  work: 'nothing',
  behindCount: 0,
  isKeeping: true,
  workerCount: 1,
  isAppendOnly: false,
};

/**
 * @param {string} name
 * @param {string} title
 * @param {Mode['kind']} kind
 * @param {number} taskCount
 * @param {Partial<Mode>} [special]
 * @returns {Mode}
 */
function mode(name, title, kind, taskCount, special = {}) {
  return { ...usual, quickCount: Math.ceil(taskCount / 5), name, title, kind, taskCount, ...special };
}

/** @type {readonly Mode[]} */
export const modes = [
  mode('produce-seq', 'enqueue, one after the other', 'produce', 20_000, { sides: everySide, style: 'sequential' }),
  mode('produce-concurrent', 'enqueue, 200 at once', 'produce', 120_000, { sides: everySide, style: 'concurrent' }),
  mode('produce-bulk', 'enqueue, lists of 100', 'produce', 120_000, { sides: everySide }),
  ...[
    [1, 15_000],
    [10, 60_000],
    [100, 100_000],
    [1_000, 100_000],
  ].map(([concurrency = 0, taskCount = 0]) =>
    mode(`process-c${concurrency}`, `run, ${concurrency} at once`, 'process', taskCount, {
      sides: everySide,
      concurrency,
    }),
  ),
  mode('produce+consume', 'enqueue and run in one process', 'both', 60_000, { sides: everySide }),
  mode('latency', 'from enqueue to handler, idle', 'latency', 2_000, { sides: everySide, quickCount: 800 }),
  ...[
    ['100B', 100, 100_000],
    ['1k', 1_000, 80_000],
    ['10k', 10_000, 25_000],
    ['100k', 100_000, 4_000],
  ].map(([label, payloadBytes, taskCount]) =>
    mode(`payload-${label}`, `run, payload ${label}`, 'process', Number(taskCount), {
      payloadBytes: Number(payloadBytes),
    }),
  ),
  ...[
    ['1k', 1_000, 10_000],
    ['10k', 10_000, 10_000],
    ['100k', 100_000, 10_000],
    ['1M', 1_000_000, 0],
  ].map(([label, behindCount, quickCount]) =>
    mode(`backlog-${label}`, `run, ${label} more waiting`, 'process', 50_000, {
      sides: twoSides,
      behindCount: Number(behindCount),
      quickCount: Number(quickCount),
    }),
  ),
  ...[1, 2, 4].map((workerCount) =>
    mode(
      `workers-${workerCount}`,
      `run, ${workerCount} worker process${workerCount === 1 ? '' : 'es'}`,
      'workers',
      80_000,
      {
        sides: twoSides,
        workerCount,
      },
    ),
  ),
  mode('aof-everysec', 'run, append-only file, fsync every second', 'process', 80_000, { isAppendOnly: true }),
  mode('retry-heavy', 'run, every tenth fails once', 'process', 60_000, { sides: libraries, work: 'fail-some' }),
  mode('long-tasks', 'run, 100 ms each, lease of 1 s', 'process', 3_000, {
    sides: libraries,
    work: 'wait',
    leaseMs: 1_000,
    quickCount: 1_500,
  }),
  mode('process-c100-metrics', 'run, 100 at once, with metrics', 'process', 100_000, {
    sides: ['task-streams', 'task-streams-metrics'],
    reference: 'task-streams',
  }),
  mode('process-c100-tracing', 'run, 100 at once, with tracing', 'process', 60_000, {
    sides: ['task-streams', 'task-streams-tracing'],
    reference: 'task-streams',
  }),
  mode('memory-waiting', 'memory of a waiting task', 'memory-waiting', 100_000, { sides: everySide }),
  mode('memory-kept', 'memory of a done task, kept as usual', 'memory-done', 50_000, { sides: libraries }),
  mode('memory-done', 'memory of a done task, nothing kept', 'memory-done', 50_000, {
    sides: libraries,
    isKeeping: false,
  }),
];

/**
 * @param {readonly string[]} names
 * @returns {Mode[]} in the order of the list
 */
export function selectModes(names) {
  const unknown = names.find((name) => !modes.some((one) => one.name === name));
  if (unknown !== undefined) throw new Error(`There is no mode ${unknown}. npm run bench -- --list names them.`);
  return modes.filter((one) => names.length === 0 || names.includes(one.name));
}
