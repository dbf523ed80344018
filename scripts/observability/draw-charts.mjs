import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from '../lib/paths.mjs';
import { readQueries } from './dashboard-queries.mjs';
import { drawLineChart } from './line-chart.mjs';

const folder = path.join(root, 'docs', 'images');

/** Panels of the dashboard, what their left axis counts, and the file that shows them. */
const charts = [
  { panel: 'Waiting tasks', unit: 'tasks', file: 'waiting-tasks.svg' },
  { panel: 'Attempts by outcome', unit: 'attempts a second', file: 'attempts-by-outcome.svg' },
  { panel: 'Dead letters', unit: 'dead letters', file: 'dead-letters.svg' },
  { panel: 'Workers', unit: 'workers of the queue reports', file: 'workers.svg', queue: 'reports' },
];

/**
 * Draws some panels of the dashboard from what was scraped.
 *
 * @param {import('./prometheus-process.mjs').RunningPrometheus} prometheus
 * @param {{ startedAt: number, marks: readonly import('./line-chart.mjs').Mark[] }} story in seconds since 1970
 * @param {(line: string) => void} log
 */
export async function drawCharts(prometheus, { startedAt, marks }, log) {
  // What came last is to be seen, too.
  await delay(5_000);
  const end = Date.now() / 1_000;
  const seconds = end - startedAt;
  const step = Math.max(Math.ceil(seconds / 150), 1);
  await mkdir(folder, { recursive: true });
  for (const { panel, unit, file, queue } of charts) {
    const query = (await readQueries(queue)).find((one) => one.panel === panel)?.query;
    if (query === undefined) throw new Error(`The dashboard has no panel "${panel}"`);
    const series = await prometheus.askRange(query, { start: startedAt, end, step });
    const lines = series
      .map(({ metric, values }) => ({
        name: Object.values(metric).join(' '),
        points: values.map(([at, value]) => /** @type {const} */ ([at - startedAt, Number(value)])),
      }))
      // What was 0 all the time would only hide the rest.
      .filter(({ points }) => points.some(([, value]) => value > 0))
      .toSorted((a, b) => a.name.localeCompare(b.name));
    const shown = marks.map(({ name, at }) => ({ name, at: at - startedAt }));
    await writeFile(path.join(folder, file), drawLineChart({ title: panel, unit, lines, marks: shown, seconds }));
    log(`drawn: docs/images/${file}`);
  }
}
