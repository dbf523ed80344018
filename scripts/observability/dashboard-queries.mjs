import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../lib/paths.mjs';

const file = path.join(root, 'deploy', 'observability', 'grafana', 'dashboards', 'task-streams.json');

/**
 * Every query of the dashboard, with Grafana's variables filled in: a queue, or as "All" does.
 *
 * @param {string} [queue]
 * @returns {Promise<readonly { panel: string, query: string }[]>}
 */
export async function readQueries(queue = '.+') {
  /** @type {{ panels: { title: string, targets?: { expr: string }[] }[] }} */
  const { panels } = JSON.parse(await readFile(file, 'utf8'));
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ panel: title, query: fill(expr, queue) })),
  );
}

/**
 * @param {string} query
 * @param {string} queue
 */
function fill(query, queue) {
  return query
    .replaceAll(/\$queue\b/g, queue)
    .replaceAll(/\$task\b/g, '.+')
    .replaceAll('$__rate_interval', '15s');
}
