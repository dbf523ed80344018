import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../redis/index.mjs';

/** @typedef {{ status: string, error?: string, data: { result: { value: [number, string] }[] } }} Answer */

/**
 * A Prometheus of our own on the loopback interface, which scrapes every second.
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
      global: { scrape_interval: '1s', scrape_timeout: '1s' },
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
    ask: (query) => ask(url, query),
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
 * @param {string} query
 * @returns {Promise<number[]>} the values that are numbers
 */
async function ask(url, query) {
  const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query }).toString()}`);
  const answer = /** @type {Answer} */ (await response.json());
  if (answer.status !== 'success') throw new Error(`${query}: ${answer.error}`);
  return answer.data.result.map(({ value }) => Number(value[1])).filter((value) => !Number.isNaN(value));
}
