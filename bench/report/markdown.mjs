import { referenceSide } from '../modes.mjs';

/**
 * @typedef {import('../floors.mjs').Verdict} Verdict
 * @typedef {import('../machine.mjs').Machine} Machine
 * @typedef {import('../measure-mode.mjs').ModeFigures} ModeFigures
 * @typedef {import('../measure-mode.mjs').SideFigures} SideFigures
 * @typedef {import('../measure-mode.mjs').Unit} Unit
 * @typedef {import('../statistics.mjs').Spread} Spread
 */

/**
 * Everything a bench found.
 *
 * @typedef {object} BenchRun
 * @property {Machine & { loadAtEnd: readonly number[] }} machine
 * @property {boolean} isQuick
 * @property {readonly ModeFigures[]} figures
 * @property {readonly Verdict[]} floors
 */

/** Names of the sides for people. */
const sideTitles = {
  'task-streams': '**nestjs-task-streams**',
  'task-streams-metrics': 'with metrics',
  'task-streams-tracing': 'with tracing',
  'nest-bullmq': '@nestjs/bullmq',
  bullmq: 'bullmq',
  'bee-queue': 'bee-queue',
  'raw-ioredis': 'raw ioredis (the limit)',
};

/**
 * @param {BenchRun} run
 * @returns {string} Markdown
 */
export function renderReport(run) {
  return [...renderMachine(run), '', ...renderTable(run.figures), '', ...renderFloors(run.floors), ''].join('\n');
}

/** @param {BenchRun} run */
function renderMachine({ machine, isQuick }) {
  const versions = Object.entries(machine.packages).map(([name, version]) => `${name} ${version}`);
  return [
    `${machine.date} UTC${isQuick ? ', quick: fewer tasks, three rounds' : ''}. ${machine.cpu}, ${machine.cores} cores, ` +
      `${machine.memory}, ${machine.system}, Node ${machine.node}, ${machine.redis}.`,
    '',
    `${versions.join(', ')}.`,
    '',
    `Load average over 1, 5 and 15 minutes: ${machine.loadAtStart.join(' ')} at the start, ` +
      `${machine.loadAtEnd.join(' ')} at the end.`,
  ];
}

/** @param {readonly ModeFigures[]} figures */
function renderTable(figures) {
  const head = `| mode | side | result | Node µs/task | Redis µs/task | against ${sideTitles[referenceSide]}, or the side with 1 |`;
  return [head, '|---|---|---|---|---|---|', ...figures.flatMap(renderMode)];
}

/** @param {ModeFigures} figures */
function renderMode({ mode, title, reference, unit, taskCount, sides }) {
  return sides.map((side, index) => {
    const name = index === 0 ? `\`${mode}\`: ${title} (${taskCount.toLocaleString('en-US')} tasks)` : '';
    const cells = [name, sideTitles[side.side], renderValue(side, unit)];
    const ratio = side.side === reference ? '1' : renderSpread(side.ratio, 2);
    return `| ${[...cells, renderSpread(side.nodeMicros, 1), renderSpread(side.redisMicros, 1), ratio].join(' | ')} |`;
  });
}

/**
 * @param {SideFigures} side
 * @param {Unit} unit
 */
function renderValue({ value, p95, p99 }, unit) {
  if (unit !== 'ms') return `${renderSpread(value, 0)} ${unit}`;
  return `p50 ${renderSpread(value, 2)}, p95 ${renderSpread(p95, 2)}, p99 ${renderSpread(p99, 2)} ms`;
}

/**
 * @param {Spread | undefined} spread
 * @param {number} digits
 */
function renderSpread(spread, digits) {
  if (spread === undefined) return '';
  const show = (/** @type {number} */ number) =>
    number.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${show(spread.median)} (${show(spread.min)}–${show(spread.max)})`;
}

/** @param {readonly Verdict[]} floors */
function renderFloors(floors) {
  return floors.map((floor) => {
    const bound = floor.atLeast === undefined ? `at most ${floor.atMost}` : `at least ${floor.atLeast}`;
    const what = { ratio: 'ratio', value: 'bytes', cpuRatio: 'CPU saved, times', limitShare: 'share of the limit' }[
      floor.what
    ];
    return `- floor of \`${floor.mode}\`, ${what} ${bound}: ${floor.found.toFixed(2)}, ${floor.isReached ? 'reached' : '**not reached**'}`;
  });
}
