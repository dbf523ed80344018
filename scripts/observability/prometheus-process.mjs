import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from '../lib/paths.mjs';
import { freePort } from '../redis/index.mjs';

const rules = path.join(root, 'deploy', 'observability', 'prometheus', 'alerts.yml');

/**
 * @typedef {object} Series
 * @property {Record<string, string>} metric its labels
 * @property {[number, string]} value
 * @property {[number, string][]} values of a range
 */

/** @typedef {{ status: string, error?: string, data: { result: Series[] } }} Answer */

/** @typedef {Awaited<ReturnType<typeof startPrometheus>>} RunningPrometheus */

/**
 * A Prometheus of our own on the loopback interface, which scrapes and looks at the alert rules every second.
 *
 * @param {string} program
 * @param {string} dir
 * @param {readonly string[]} targets host and port of each process
 */
export async function startPrometheus(program, dir, targets) {
  await mkdir(dir, { recursive: true });
  const config = path.join(dir, 'prometheus.yml');
  // JSON is YAML too.
  await writeFile(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: [rules],
      scrape_configs: [{ job_name: 'task-streams', static_configs: [{ targets }] }],
    }),
  );
  const port = await freePort();
  const args = [`--config.file=${config}`, `--storage.tsdb.path=${path.join(dir, 'data')}`];
  const child = spawn(program, [...args, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
  const exited = new Promise((resolve) => {
    child.once('exit', resolve);
    child.once('error', resolve);
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    /** @param {string} query */
    ask: async (query) => {
      const series = await ask(`${url}/api/v1/query`, { query });
      return series.map(({ value }) => Number(value[1])).filter((value) => !Number.isNaN(value));
    },
    /** The alerts whose condition holds now, whether or not it has held for long enough to call somebody. */
    alerts: async () => {
      const series = await ask(`${url}/api/v1/query`, { query: 'ALERTS' });
      return series.map(({ metric }) => `${metric['alertname']} ${metric['alertstate']}`);
    },
    /**
     * @param {string} query
     * @param {{ start: number, end: number, step: number }} range in seconds since 1970, and between two values
     */
    askRange: (query, { start, end, step }) =>
      ask(`${url}/api/v1/query_range`, { query, start: `${start}`, end: `${end}`, step: `${step}` }),
    ready: () => waitUntilReady(url),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** @param {string} url */
async function waitUntilReady(url) {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    const response = await fetch(`${url}/-/ready`).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    await delay(100);
  }
  throw new Error(`Prometheus at ${url} is not ready after 30 s`);
}

/**
 * @param {string} url
 * @param {Record<string, string>} parameters
 * @returns {Promise<Series[]>}
 */
async function ask(url, parameters) {
  const response = await fetch(`${url}?${new URLSearchParams(parameters).toString()}`);
  const answer = /** @type {Answer} */ (await response.json());
  if (answer.status !== 'success') throw new Error(`${parameters['query']}: ${answer.error}`);
  return answer.data.result;
}
