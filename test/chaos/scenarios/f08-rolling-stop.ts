import type { Bench } from '../harness/bench.js';
import type { Scenario } from '../harness/scenario.js';
import { until } from '../harness/until.js';
import { everyNth, job } from './jobs.js';

const SHUTDOWN_MS = 1_000;
const SLACK_MS = 1_000;

/** One worker after the other, as a deploy does it. */
async function rollOver(bench: Bench): Promise<void> {
  for (let slot = 0; slot < bench.fleet.size; slot += 1) {
    await bench.fleet.ready();
    const t = Date.now();
    const { pid, code, at } = await bench.fleet.terminate(slot);
    // From its end on: before that it may finish by itself what it has.
    bench.fault('worker-sigterm', { victim: pid, t: at });
    bench.check('a stopped worker ends with exit code 0', code === 0, code);
    bench.check(
      'a worker stops in time',
      at - t <= SHUTDOWN_MS + SLACK_MS + (bench.isSmall ? 2_000 : 0),
      `${at - t} ms`,
    );
  }
}

/**
 * A graceful stop costs nothing: no effect twice, no hand-out burnt, exit code 0. The handlers stop at their signal: one that
 * does not may still have its effect in the moment between its hand-over and the end of its process.
 */
export const f08: Scenario = {
  id: 'F8',
  title: 'rolling SIGTERM under load',
  tasks: 50_000,
  faults: 50,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    await bench.startFleet({ options: { shutdownTimeoutMs: SHUTDOWN_MS } });
    const slow = everyNth(bench.taskCount, bench.scaled(200, 4));
    const durations = bench.random.times(bench.taskCount, (random) => random.between(5, bench.isSmall ? 100 : 500));
    // Four workers with ten slots do some 150 of these a second.
    const overMs = bench.isSmall ? 3_000 : bench.taskCount * 5;
    const load = bench.load({
      count: bench.taskCount,
      overMs,
      job: (i) => job(i, { ms: slow.has(i) ? 2_500 : (durations[i] ?? 5), heedsSignal: true }),
    });
    const rounds = bench.scaled(50);
    for (let round = 0; round < rounds; round += 1) await rollOver(bench);
    await load.done;
    await until('an empty queue', () => bench.watch.isDrained(), 120_000);
    bench.expected = { rawEffects: 1, handouts: 1, recoveryP99Ms: 1_000 };
  },
};
