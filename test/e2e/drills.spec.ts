import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillRedis, floodWithExports, sendPoison } from '../../scripts/observability/disasters.mjs';
import { freePort } from '../../scripts/redis/index.mjs';
import type { TaxExport } from '../../src/tax-exports/tax-export-view.js';
import { until } from '../../src/smoke/until.js';
import { Samples } from '../support/observability/samples.js';
import type { ShopProcess } from './support/shop-process.js';
import { startShop, type Shop } from './support/start-shop.js';

/** How soon whoever looks must be told. The alerts of the same drills are in `npm run test:observability`. */
const TOLD_MS = 30_000;

interface Watched {
  readonly process: ShopProcess;
  readonly url: string;
}

interface QueuesHealth {
  readonly status: string;
  readonly details: { readonly tasks: { readonly status: string; readonly problems?: readonly string[] } };
}

let shop: Shop;
let worker: Watched;
let other: Watched;

beforeAll(async () => {
  shop = await startShop({ workers: 0 });
  [worker, other] = await Promise.all([startWatched(), startWatched()]);
});

afterAll(async () => shop?.stop());

describe('whoever looks at the shop is told', () => {
  it('that nothing is wrong while nothing is', async () => {
    await until('two workers', () => seen('consumers', { queue: 'reports', state: 'live' }, 2), TOLD_MS);
    expect(await health()).toMatchObject({ status: 'ok' });
    expect(await sum([worker, other], 'dead_letters_total', REASON)).toBe(0);
    expect(await scrape(shop.client.url).then((web) => web.value('redis_up'))).toBe(1);
  });

  it('of a burst of poison: dead letters by reason, readiness with a limit, an error line for each', async () => {
    const began = Date.now();
    await sendPoison(shop.client.url, 20);

    const counted = async () => (await sum([worker, other], 'dead_letters_total', REASON)) === 20 || undefined;
    await until('the metric', counted, TOLD_MS);
    await until(
      'the state of the queue',
      () => seen('queue_tasks', { queue: 'notifications', state: 'dead' }, 20),
      TOLD_MS,
    );
    await until('the health check', () => problem('queue "notifications": 20 dead letters, more than 10'), TOLD_MS);
    const lines = () =>
      (`${worker.process.log}${other.process.log}`.match(/is a dead letter \(validation\)/g) ?? []).length;
    await until('the log', () => lines() === 20 || undefined, TOLD_MS);
    expect(Date.now() - began).toBeLessThan(TOLD_MS);
  });

  it('of a worker that was killed: workers that were not heard of, the take-over, a line of who took over', async () => {
    const { links } = await shop.client.post('/tax-exports', { year: 2025, rows: 2_000_000 });
    const { workerPid } = await until('progress', () => progressOf(links.self), TOLD_MS);
    const [killed, survivor] = worker.process.pid === workerPid ? [worker, other] : [other, worker];
    const began = Date.now();
    await killed.process.end('SIGKILL');

    const taken = async () =>
      (await scrape(survivor.url)).value('redeliveries_total', { queue: 'reports', cause: 'reclaimed' }) === 1 ||
      undefined;
    await until('the metric of the take-over', taken, TOLD_MS);
    await until('the metric of the workers', () => seen('consumers', { queue: 'reports', state: 'live' }, 1), TOLD_MS);
    const took = /Task reports\.tax-export \S+ was reclaimed: the lease of worker \S+:\d+:[\da-f]+ expired/;
    await until('the log', () => took.test(survivor.process.log) || undefined, TOLD_MS);
    const alone = async () => {
      const tasks = (await health()).details.tasks as {
        readonly queues?: { readonly reports?: { liveConsumers: number } };
      };
      return tasks.queues?.reports?.liveConsumers === 1 || undefined;
    };
    await until('the health check', alone, TOLD_MS);
    expect(Date.now() - began).toBeLessThan(TOLD_MS);

    // And of the last one: then somebody must come.
    const last = Date.now();
    await survivor.process.end('SIGKILL');
    await until('the metric', () => seen('consumers', { queue: 'reports', state: 'live' }, 0), TOLD_MS);
    await until('the health check', () => problem('queue "reports": 0 workers were heard of'), TOLD_MS);
    await until('the log', () => failedCheck('0 workers were heard of'), TOLD_MS);
    expect(Date.now() - last).toBeLessThan(TOLD_MS);
  });

  it('of a flood: what waits and for how long, readiness with a limit and its line', async () => {
    worker = await startWatched();
    await floodWithExports(shop.client.url, 1_200);
    const began = Date.now();

    const flooded = async () => {
      const web = await scrape(shop.client.url);
      const waiting = web.value('queue_tasks', { queue: 'reports', state: 'ready' }) ?? 0;
      const ageSeconds = web.value('oldest_ready_age_seconds', { queue: 'reports' }) ?? 0;
      return (waiting > 1_000 && ageSeconds > 0) || undefined;
    };
    await until('the metrics', flooded, TOLD_MS);
    await until('the health check', () => problem(/queue "reports": \d+ tasks wait, more than 1000/), TOLD_MS);
    await until('the log', () => failedCheck('tasks wait, more than 1000'), TOLD_MS);
    expect(Date.now() - began).toBeLessThan(TOLD_MS);
  });

  it('of a Redis that is full: who cannot enqueue, readiness that is degraded, a line with the cause', async () => {
    const began = Date.now();
    const empty = await fillRedis(shop.redis.url);
    try {
      const labels = { queue: 'notifications', task: 'notifications.send', outcome: 'full' };
      const { status } = await shop.client.send('POST', '/notifications', {
        body: { to: 'ana@example.com', message: 'Is there room?' },
      });
      expect(status).toBe(503);
      const web = await scrape(shop.client.url);
      expect(web.value('tasks_enqueued_total', labels)).toBe(1);
      // What lies in the queues is still shown: somebody wants to see whether it becomes less.
      expect(web.value('redis_up')).toBe(1);
      expect(web.value('queue_tasks', { queue: 'reports', state: 'ready' })).toBeGreaterThan(0);
      const refused = async () => {
        const { body } = await shop.client.send<QueuesHealth>('GET', '/health/ready');
        const { status: condition, problems = [] } = body.details.tasks;
        return (condition === 'degraded' && problems.join().includes('Redis refuses writes: OOM')) || undefined;
      };
      await until('the health check', refused, TOLD_MS);
      await until('the log', () => /\[Problems\].*OOM/.test(shop.web.log) || undefined, TOLD_MS);
      expect(Date.now() - began).toBeLessThan(TOLD_MS);
    } finally {
      await empty();
    }
    await until('readiness', async () => (await readiness()) === 'up' || undefined, TOLD_MS);
  });
});

const REASON = { queue: 'notifications', task: 'notifications.send', reason: 'validation' };

/** A worker that shows its own metrics. */
async function startWatched(): Promise<Watched> {
  const port = await freePort();
  const process = await shop.start('worker', { HEALTH_PORT: `${port}` });
  return { process, url: `http://127.0.0.1:${port}` };
}

async function scrape(url: string): Promise<Samples> {
  const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(5_000) });
  return new Samples(await response.text());
}

/** What the workers counted together. */
async function sum(
  watched: readonly Watched[],
  name: string,
  labels: Readonly<Record<string, string>>,
): Promise<number> {
  const scrapes = await Promise.all(watched.map(({ url }) => scrape(url)));
  return scrapes.reduce((total, samples) => total + (samples.value(name, labels) ?? 0), 0);
}

/** Whether the web process shows such a value. */
async function seen(name: string, labels: Readonly<Record<string, string>>, value: number): Promise<true | undefined> {
  const group = name === 'consumers' ? { group: 'workers' } : {};
  return (await scrape(shop.client.url)).value(name, { ...labels, ...group }) === value || undefined;
}

async function health(): Promise<QueuesHealth> {
  return (await shop.client.send<QueuesHealth>('GET', '/health/queues')).body;
}

async function problem(text: string | RegExp): Promise<true | undefined> {
  const { status, body } = await shop.client.send<QueuesHealth>('GET', '/health/queues');
  const problems = (body.details.tasks.problems ?? []).join('\n');
  const isTold = typeof text === 'string' ? problems.includes(text) : text.test(problems);
  return (status === 503 && isTold) || undefined;
}

/** The line that terminus writes for a check that fails. */
function failedCheck(text: string): true | undefined {
  const lines = shop.web.log.split('\n').filter((line) => line.includes('Health Check has failed!'));
  return lines.some((line) => line.includes(text)) || undefined;
}

async function readiness(): Promise<string> {
  return (await shop.client.send<QueuesHealth>('GET', '/health/ready')).body.details.tasks.status;
}

async function progressOf(path: string): Promise<TaxExport['progress']> {
  const { progress } = await shop.client.get<TaxExport>(path);
  return progress && progress.percent > 0 ? progress : undefined;
}
