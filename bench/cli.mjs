import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ensureInstalled } from '../scripts/lib/install.mjs';
import { findRedisServer } from '../scripts/redis/index.mjs';
import { describeMachine, loadAverage } from './machine.mjs';
import { measureMode } from './measure-mode.mjs';
import { modes, selectModes } from './modes.mjs';
import { parseOptions } from './options.mjs';
import { compareWithFloors, readFloors } from './floors.mjs';
import { renderReport } from './report/markdown.mjs';
import { writeDocuments, writeResults } from './report/write.mjs';
import { readRuns } from './saved-runs.mjs';
import { buildBench } from './setup.mjs';

/**
 * @typedef {import('./measure-mode.mjs').ModeFigures} ModeFigures
 * @typedef {import('./modes.mjs').Mode} Mode
 * @typedef {import('./options.mjs').BenchOptions} BenchOptions
 */

const fullRounds = 5;
const quickRounds = 3;

/**
 * @param {readonly string[]} args
 * @param {(line: string) => void} print
 */
export async function runBench(args, print) {
  const options = parseOptions(args);
  const wanted = selectModes(options.only);
  if (options.isList) {
    for (const mode of modes)
      print(`${mode.name.padEnd(20)} ${mode.title} (${mode.taskCount} tasks; ${mode.sides.join(', ')})`);
    return;
  }
  const run = options.from.length > 0 ? await readRuns(options.from) : await measure(wanted, options, print);
  print(`\n${renderReport(run)}`);
  const written = await writeResults(run);
  if (options.jsonFile) await writeFile(path.resolve(options.jsonFile), `${JSON.stringify(run, undefined, 2)}\n`);
  if (options.isWritingDocs) written.push(...(await writeDocuments(run)));
  print(`written: ${written.join(', ')}`);
}

/**
 * @param {readonly Mode[]} wanted
 * @param {BenchOptions} options
 * @param {(line: string) => void} print
 */
async function measure(wanted, options, print) {
  await ensureInstalled(print);
  const server = await findRedisServer({ log: print });
  const { program, modulesOf } = await buildBench(print, { nest: options.nest });
  const context = { program, server };
  const machine = await describeMachine(server, modulesOf);
  /** @type {ModeFigures[]} */
  const figures = [];
  for (const mode of wanted) {
    const plan = planMode(mode, options);
    if (plan.taskCount > 0 && plan.sides.length > 0)
      figures.push(await measureMode(context, mode, { ...plan, onRun: print }));
  }
  const floors = compareWithFloors(await readFloors(), figures);
  return { machine: { ...machine, loadAtEnd: loadAverage() }, isQuick: options.isQuick, figures, floors };
}

/**
 * @param {Mode} mode
 * @param {BenchOptions} options
 */
function planMode(mode, { isQuick, only, sides, rounds, taskCount }) {
  // A mode that is left out of a quick bench is run all the same by whoever names it.
  const isLeftOut = isQuick && mode.quickCount === 0 && only.length === 0;
  const usualCount = isQuick ? mode.quickCount || Math.ceil(mode.taskCount / 5) : mode.taskCount;
  return {
    taskCount: isLeftOut ? 0 : (taskCount ?? usualCount),
    rounds: rounds ?? (isQuick ? quickRounds : fullRounds),
    sides: mode.sides.filter((side) => sides.length === 0 || sides.includes(side)),
  };
}
