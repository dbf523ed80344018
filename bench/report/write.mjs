import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { relativeToRoot, root } from '../../scripts/lib/paths.mjs';
import { writeMeasured } from '../floors.mjs';
import { renderChart } from './chart.mjs';
import { renderReport } from './markdown.mjs';

/** @typedef {import('./markdown.mjs').BenchRun} BenchRun */

/**
 * @param {BenchRun} run
 * @returns {Promise<string[]>} the files
 */
export async function writeResults(run) {
  const dir = path.join(root, 'bench/results');
  await mkdir(dir, { recursive: true });
  const chart = path.join(dir, 'performance.svg');
  const table = path.join(dir, 'performance-results.md');
  await writeFile(chart, renderChart(run.figures));
  await writeFile(table, renderDocument(run));
  return [table, chart].map(relativeToRoot);
}

/**
 * Puts the results into the documents, and the medians beside the floors; those of Nest 11 into a document of their own.
 *
 * @param {BenchRun} run
 * @returns {Promise<string[]>} the files
 */
export async function writeDocuments(run) {
  if (run.machine.packages['@nestjs/core']?.startsWith('11.')) return writeNest11(run);
  const chart = path.join(root, 'docs/performance.svg');
  const table = path.join(root, 'docs/performance-results.md');
  await writeFile(chart, renderChart(run.figures));
  await writeFile(table, renderDocument(run));
  return [table, chart, await writeMeasured(run.floors)].map(relativeToRoot);
}

/**
 * The floors are about Nest 12, so they are not held against it.
 *
 * @param {BenchRun} run
 */
async function writeNest11(run) {
  const table = path.join(root, 'docs/performance-results-nest-11.md');
  await writeFile(
    table,
    `# Results of the bench on Nest 11\n\n${preface('--nest 11 ')}\n\n${renderReport({ ...run, floors: [] })}`,
  );
  return [relativeToRoot(table)];
}

/** @param {BenchRun} run */
function renderDocument(run) {
  return `# Results of the bench

${preface('')}

![How many times better than @nestjs/bullmq](performance.svg)

${renderReport(run)}`;
}

/** @param {string} option */
function preface(option) {
  return `Written by \`npm run bench -- ${option}--write-docs\`; how it measures is in [bench/README.md](../bench/README.md). Each figure is
the median over the rounds and, in brackets, the range. The last column is the median and the range of the ratios of the
rounds: more is better for tasks a second, less for milliseconds and bytes. Sides of a mode may come from different runs; a
ratio is always of the rounds of one.`;
}
