import { setTimeout as delay } from 'node:timers/promises';
import { readQueries } from './dashboard-queries.mjs';

const timeoutMs = 120_000;

/**
 * Asks for everything the dashboard shows, until there is data for each.
 *
 * @param {{ ask: (query: string) => Promise<number[]> }} prometheus
 * @param {(line: string) => void} log
 * @returns {Promise<number>} how many queries brought no data
 */
export async function runQueries(prometheus, log) {
  const queries = await readQueries();
  const deadline = Date.now() + timeoutMs;
  let open = queries;
  while (open.length > 0 && Date.now() < deadline) {
    const answers = await Promise.all(open.map(({ query }) => prometheus.ask(query)));
    open = open.filter((_, i) => answers[i]?.length === 0);
    if (open.length > 0) await delay(500);
  }
  for (const { panel, query } of open) log(`FAIL no data for "${panel}": ${query}`);
  if (open.length === 0) log(`ok   ${queries.length} queries of the dashboard, each with data`);
  return open.length;
}
