// npm run bench:operations: how long it takes to empty a queue and to look through its dead letters. Measures the built library.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { fillLetters } from './operations/fill-letters.mjs';
import { watchCalls } from './operations/watch-calls.mjs';
import { askRedis, startRedisServer } from './redis/index.mjs';

/** @typedef {import('nestjs-task-streams/admin').TaskStreamsAdmin} Admin */
/** @typedef {{ fill: (admin: Admin, url: string, count: number) => Promise<void>, run: (admin: Admin) => Promise<number> }} Operation */

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    only: { type: 'string', multiple: true },
    aof: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const queue = 'measured';
const at = { ratePerSecond: 100_000 };
const sum = (/** @type {Readonly<Record<string, number>>} */ counts) =>
  Object.values(counts).reduce((a, b) => a + b, 0);
const letters = (/** @type {Admin} */ _, /** @type {string} */ url, /** @type {number} */ count) =>
  fillLetters(url, queue, count);

/** @type {Record<string, Operation>} */
const operations = {
  'drain waiting': {
    fill: (admin, _, count) => enqueue(admin, count, {}),
    run: async ({ control }) => sum(await control.drain(queue)),
  },
  'drain delayed': {
    fill: (admin, _, count) => enqueue(admin, count, { delayMs: 86_400_000 }),
    run: async ({ control }) => sum(await control.drain(queue, { delayed: true })),
  },
  'purge delayed': {
    fill: (admin, _, count) => enqueue(admin, count, { delayMs: 86_400_000 }),
    run: async ({ control }) => sum(await control.purge(queue, { confirm: queue })),
  },
  'purge dead letters with their queue': {
    fill: letters,
    run: async ({ control }) => sum(await control.purge(queue, { confirm: queue })),
  },
  'preview a redrive': {
    fill: letters,
    run: async (admin) => (await admin.letters.previewRedrive(queue, {})).matched,
  },
  redrive: {
    fill: letters,
    run: async (admin) => (await admin.letters.redriveMany(queue, {}, at)).done,
  },
  'discard dead letters': {
    fill: letters,
    run: async (admin) => (await admin.letters.purge(queue, {}, { reason: 'measured', confirm: queue })).done,
  },
};

const usage = `npm run bench:operations [-- --count 100000 --only 'drain delayed' --aof]

Fills a queue in a Redis of its own and does to all of it what an operator does. Prints for each operation the seconds it
took, the calls it was made of, and the longest single call, for which all other clients wait. --aof has Redis write its
append-only file meanwhile. Operations: ${Object.keys(operations).join(', ')}.`;

/** @param {Admin} admin @param {number} count @param {object} options */
async function enqueue(admin, count, options) {
  const payload = { note: 'x'.repeat(200) };
  for (let left = count; left > 0; left -= 5_000) {
    const tasks = Array.from({ length: Math.min(left, 5_000) }, () => ({
      task: 'pay',
      payload,
      options: { queue, ...options },
    }));
    await admin.tasks.enqueueMany(tasks);
  }
}

/** @param {Admin} admin @param {string} url @param {string} name @param {number} count */
async function measure(admin, url, name, count) {
  const { fill, run } = /** @type {Operation} */ (operations[name]);
  await askRedis(url, [['FLUSHALL']], { timeoutMs: 120_000 });
  await fill(admin, url, count);
  let done = 0;
  const { seconds, cpuSeconds, scripts, reads } = await watchCalls(url, async () => (done = await run(admin)));
  if (done !== count) throw new Error(`${name}: ${done} of ${count} were done`);
  const cpu = `${cpuSeconds.redis.toFixed(1)} and ${cpuSeconds.node.toFixed(1)} s`;
  console.log(
    `${name.padEnd(36)} ${count} in ${seconds.toFixed(1)} s (processor: Redis and Node ${cpu}), ${scripts.calls} scripts of ` +
      `${scripts.medianMs.toFixed(1)} ms, longest call ${Math.max(scripts.maxMs, reads.maxMs).toFixed(1)} ms`,
  );
}

async function main() {
  const count = Number(values.count);
  const names = values.only ?? Object.keys(operations);
  if (!(Number.isInteger(count) && count > 0 && names.every((name) => name in operations))) throw new Error(usage);
  await ensureInstalled(console.log);
  await ensureBuilt(console.log);
  const dir = await mkdtemp(path.join(tmpdir(), 'nestjs-task-streams-operations-'));
  const redis = await startRedisServer({ dir, appendOnly: values.aof, extraArgs: ['--save', ''] });
  const { Logger } = await import('@nestjs/common');
  Logger.overrideLogger(['error']);
  const { openTaskStreams } = await import('nestjs-task-streams/admin');
  const admin = openTaskStreams({ connection: { url: redis.url } });
  try {
    for (const name of names) await measure(admin, redis.url, name, count);
  } finally {
    await admin.close();
    await redis.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

if (values.help) console.log(usage);
else await main();
