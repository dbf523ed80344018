// npm run bench:scrape: what one scrape costs Redis, at any size. Measures the built library.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { countCommands, fillQueue, scriptMs } from './observability/scrape-cost.mjs';
import { startRedisServer } from './redis/index.mjs';

const { values } = parseArgs({
  options: {
    queues: { type: 'string', default: '100' },
    waiting: { type: 'string', default: '1000000' },
    scrapes: { type: 'string', default: '50' },
    one: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const usage = `npm run bench:scrape [-- --queues 100 --waiting 1000000 --scrapes 50 --one]

Lets tasks wait in a Redis of its own, spread over the queues or, with --one, all in the first, and scrapes the metrics.
Prints as JSON how many commands a scrape runs, its time in milliseconds, how long of it Redis worked, and the size of what
is scraped.`;

/** @param {readonly string[]} queues @param {string} url */
async function openMetrics(queues, url) {
  await import('reflect-metadata');
  const { NestFactory } = await import('@nestjs/core');
  const { TaskStreamsModule } = await import('nestjs-task-streams');
  const { TaskStreamsMetrics, TaskStreamsPrometheusModule } = await import('nestjs-task-streams/prometheus');
  const tasks = TaskStreamsModule.forRoot({ connection: { url }, mode: 'producer' });
  const measured = TaskStreamsPrometheusModule.register({ path: false, cacheMs: 0, queues });
  const app = await NestFactory.createApplicationContext({ ...measured, imports: [tasks] }, { logger: ['error'] });
  return { app, metrics: app.get(TaskStreamsMetrics) };
}

async function main() {
  const [queueCount, waiting, scrapes] = [values.queues, values.waiting, values.scrapes].map(Number);
  if (![queueCount, waiting, scrapes].every((one) => Number.isInteger(one) && Number(one) > 0)) throw new Error(usage);
  await ensureInstalled(console.log);
  await ensureBuilt(console.log);
  const queues = Array.from({ length: Number(queueCount) }, (_, i) => `q${i}`);
  const dir = await mkdtemp(path.join(tmpdir(), 'nestjs-task-streams-scrape-'));
  const redis = await startRedisServer({ dir, appendOnly: false });
  try {
    const filled = values.one ? queues.slice(0, 1) : queues;
    for (const queue of filled) await fillQueue(redis.url, queue, Math.ceil(Number(waiting) / filled.length));
    const { app, metrics } = await openMetrics(queues, redis.url);
    for (let i = 0; i < 5; i += 1) await metrics.read();
    const commands = await countCommands(redis.url, () => metrics.read());
    /** @type {number[]} */
    const times = [];
    let bytes = 0;
    const inRedis = await scriptMs(redis.url, async () => {
      for (let i = 0; i < Number(scrapes); i += 1) {
        const startedAt = performance.now();
        bytes = Buffer.byteLength(await metrics.read());
        times.push(performance.now() - startedAt);
      }
    });
    await app.close();
    times.sort((a, b) => a - b);
    const at = (/** @type {number} */ share) => Number((times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(2));
    const ms = { median: at(0.5), p95: at(0.95), max: at(1), redis: Number((inRedis / Number(scrapes)).toFixed(2)) };
    console.log(JSON.stringify({ queues: queues.length, waiting: Number(waiting), bytes, commands, ms }, undefined, 2));
  } finally {
    await redis.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

if (values.help) console.log(usage);
else await main();
