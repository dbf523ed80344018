import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { compareWithFloors, readFloors } from './floors.mjs';
import { modes } from './modes.mjs';

/** @typedef {import('./report/markdown.mjs').BenchRun} BenchRun */

/**
 * Reads runs that were saved with `--json` as one: the modes of all of them in the usual order, each from the last file that
 * has it.
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
  const byMode = new Map(runs.flatMap((run) => run.figures.map((figures) => [figures.mode, figures])));
  const figures = modes.flatMap(({ name }) => byMode.get(name) ?? []);
  const floors = compareWithFloors(await readFloors(), figures);
  return { machine: { ...first.machine, loadAtEnd: last.machine.loadAtEnd }, isQuick: first.isQuick, figures, floors };
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
