import { KEYS } from '../harness/queue-watch.js';
import type { Bench } from '../harness/bench.js';
import type { Scenario } from '../harness/scenario.js';
import { comesTrue, lasts } from '../harness/until.js';
import { job } from './jobs.js';

const LATENCY_MS = 20;
const PINGS = 40;
const CHUNK = 500;

/** How long a bystander waits for Redis: the 90th percentile, because this process has work of its own. */
async function bystanderWaitMs(bench: Bench): Promise<number> {
  const waits: number[] = [];
  for (let i = 0; i < PINGS; i += 1) {
    const t = performance.now();
    await bench.watch.ask(['PING']);
    waits.push(performance.now() - t);
    await lasts(20);
  }
  return waits.toSorted((a, b) => a - b)[Math.floor(PINGS * 0.9)] ?? 0;
}

/** Entries that are well formed and have no record, as another program adds them. */
async function fill(bench: Bench, count: number): Promise<void> {
  for (let first = 0; first < count; first += CHUNK) {
    const ids = Array.from({ length: Math.min(CHUNK, count - first) }, (_, i) => `raw-${first + i}`);
    await bench.watch.ask(
      ...ids.map((id) => ['XADD', KEYS.stream, '*', 'head', `2\n${id}\nchaos.job\n\n`, 'body', `{"key":"${id}"}`]),
    );
  }
}

/** In parts, because what is handed out comes back in the reply. */
async function handOutToTheDead(bench: Bench, count: number): Promise<void> {
  const read = ['XREADGROUP', 'GROUP', 'workers', 'dead-worker', 'COUNT', String(CHUNK), 'STREAMS', KEYS.stream, '>'];
  for (let first = 0; first < count; first += CHUNK) await bench.watch.ask(read);
}

/** A long queue costs its first tasks nothing: no command grows with it. */
export const f21: Scenario = {
  id: 'F21',
  title: 'huge backlog',
  tasks: 500_000,
  faults: 0,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    const count = bench.scaled(500_000, 3_000);
    await fill(bench, count);
    await bench.startFleet({ count: 2, options: { concurrency: 2 } });
    await bench.load({ count: 50, overMs: 500, job: (i) => job(i) }).done;
    const waitMs = await bystanderWaitMs(bench);
    if (!bench.isSmall) bench.check(`a bystander waits at most ${LATENCY_MS} ms`, waitMs <= LATENCY_MS, `${waitMs} ms`);
    bench.note(`${count} tasks were waiting; a bystander waited ${waitMs.toFixed(1)} ms`);
    // The rest is taken away, or the run would be about speed.
    await bench.watch.ask(['DEL', KEYS.stream]);
    await comesTrue(() => bench.watch.isDrained(), 5_000);
    bench.expected = { lossForgivenBefore: Date.now(), areLeftoversMeant: true };
  },
};

/** All orphans of one dead worker, the last of them too, are taken over while Redis stays quick. */
export const f22: Scenario = {
  id: 'F22',
  title: 'huge pending list of a dead worker',
  tasks: 100_000,
  faults: 1,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    const count = bench.scaled(100_000, 1_000);
    await bench.watch.ask(['XGROUP', 'CREATE', KEYS.stream, 'workers', '0', 'MKSTREAM']);
    await fill(bench, count);
    await handOutToTheDead(bench, count);
    bench.fault('dead-consumer');
    const t = Date.now();
    await bench.startFleet({ options: { concurrency: 50 } });
    await bench.load({ count: 50, overMs: 200, job: (i) => job(i) }).done;
    const waitMs = await bystanderWaitMs(bench);
    if (!bench.isSmall) bench.check(`a bystander waits at most ${LATENCY_MS} ms`, waitMs <= LATENCY_MS, `${waitMs} ms`);
    const isDone = await bench.drained(bench.isSmall ? 20_000 : 240_000);
    const rate = Math.round(count / ((Date.now() - t - bench.leaseMs) / 1_000));
    bench.check('all orphans are taken over', isDone);
    bench.note(`${count} orphans, ${rate} a second; a bystander waited ${waitMs.toFixed(1)} ms`);
    bench.expected = { handouts: 3 };
  },
};
