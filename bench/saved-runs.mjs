import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { compareWithFloors, readFloors } from './floors.mjs';
import { modes } from './modes.mjs';

/**
 * @typedef {import('./measure-mode.mjs').ModeFigures} ModeFigures
 * @typedef {import('./modes.mjs').Mode} Mode
 * @typedef {import('./report/markdown.mjs').BenchRun} BenchRun
 */

/**
 * Reads runs that were saved with `--json` as one: the modes of all of them in the usual order, and each side of a mode from
 * the last file that has it. A ratio stays what it was, against the reference of its own rounds.
 *
 * @param {readonly string[]} files
 * @returns {Promise<BenchRun>}
 * @throws for a file that cannot be read, and for runs of different versions or machines
 */
export async function readRuns(files) {
  const runs = await Promise.all(files.map(readRun));
  const [first, last] = /** @type {[BenchRun, BenchRun]} */ ([runs.at(0), runs.at(-1)]);
  const other = runs.findIndex((run) => identityOf(run) !== identityOf(first));
  if (other > 0) {
    throw new Error(
      `${files[other]} is of another machine, other versions or other counts of tasks than ${files[0]}: ` +
        `${identityOf(runs[other] ?? first)} and not ${identityOf(first)}.`,
    );
  }
  const all = runs.flatMap((run) => run.figures);
  const figures = modes.flatMap((mode) =>
    joinSides(
      mode,
      all.filter((one) => one.mode === mode.name),
    ),
  );
  const floors = compareWithFloors(await readFloors(), figures);
  return { machine: { ...first.machine, loadAtEnd: last.machine.loadAtEnd }, isQuick: first.isQuick, figures, floors };
}

/**
 * @param {Mode} mode
 * @param {readonly ModeFigures[]} parts of this mode
 * @returns {ModeFigures[]} one, or none where there is no part
 * @throws for parts with different counts of tasks
 */
function joinSides(mode, parts) {
  const last = parts.at(-1);
  if (!last) return [];
  const other = parts.find(({ taskCount }) => taskCount !== last.taskCount);
  if (other) throw new Error(`${mode.name} was run with ${other.taskCount} tasks and with ${last.taskCount}.`);
  const bySide = new Map(parts.flatMap(({ sides }) => sides.map((figures) => [figures.side, figures])));
  return [{ ...last, sides: mode.sides.flatMap((side) => bySide.get(side) ?? []) }];
}

/**
 * @param {string} file
 * @returns {Promise<BenchRun>}
 */
async function readRun(file) {
  try {
    const run = JSON.parse(await readFile(path.resolve(file), 'utf8'));
    if (Array.isArray(run.figures)) return run;
  } catch (error) {
    throw new Error(`${file} cannot be read: ${/** @type {Error} */ (error).message}`, { cause: error });
  }
  throw new Error(`${file} is not what npm run bench -- --json writes: it has no figures.`);
}

/**
 * What runs of one report have in common.
 *
 * @param {BenchRun} run
 */
function identityOf({ machine, isQuick }) {
  const { cpu, cores, node, redis, packages } = machine;
  return JSON.stringify({ cpu, cores, node, redis, isQuick, ...packages });
}
