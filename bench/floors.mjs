import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** @typedef {import('./measure-mode.mjs').ModeFigures} ModeFigures */

/**
 * What this library must reach in a mode.
 *
 * @typedef {object} Floor
 * @property {string} mode
 * @property {'ratio' | 'value' | 'cpuRatio' | 'limitShare'} what the ratio against the reference, the figure itself, how
 *   many times as much CPU of Node and Redis the reference takes, or the share of the rate of the raw client
 * @property {number} [atLeast]
 * @property {number} [atMost] for what is better when it is smaller
 * @property {number | null} measured the median of the last run that wrote the documents
 * @property {number | null} guard what the tests ask for; less, because they run on machines that do other things too
 */

/** @typedef {Floor & { found: number, isReached: boolean }} Verdict */

const file = fileURLToPath(new URL('floors.json', import.meta.url));

/** @returns {Promise<Floor[]>} */
export async function readFloors() {
  return JSON.parse(await readFile(file, 'utf8')).floors;
}

/**
 * @param {readonly Floor[]} floors
 * @param {readonly ModeFigures[]} figures
 * @returns {Verdict[]} of the modes that were measured
 */
export function compareWithFloors(floors, figures) {
  return floors.flatMap((floor) => {
    const side = figures.find(({ mode }) => mode === floor.mode)?.sides.find((one) => one.side === 'task-streams');
    const found = side?.[floor.what]?.median;
    if (found === undefined) return [];
    return [
      { ...floor, found, isReached: found >= (floor.atLeast ?? -Infinity) && found <= (floor.atMost ?? Infinity) },
    ];
  });
}

/**
 * Writes the medians beside the floors; what was not measured keeps its old one.
 *
 * @param {readonly Verdict[]} verdicts
 * @returns {Promise<string>} the file
 */
export async function writeMeasured(verdicts) {
  const content = JSON.parse(await readFile(file, 'utf8'));
  const lines = /** @type {Floor[]} */ (content.floors).map((floor) => {
    const verdict = verdicts.find(({ mode, what }) => mode === floor.mode && what === floor.what);
    const measured = verdict ? Math.round(verdict.found * 100) / 100 : floor.measured;
    const members = Object.entries({ ...floor, measured });
    return `    { ${members.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(', ')} }`;
  });
  const head = `{\n  "comparedWith": ${JSON.stringify(content.comparedWith)},\n  "floors": [\n`;
  await writeFile(file, `${head}${lines.join(',\n')}\n  ]\n}\n`);
  return file;
}
