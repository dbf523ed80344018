import type { Bench } from '../harness/bench.js';
import type { Job } from '../harness/producer.js';
import { KEYS } from '../harness/queue-watch.js';
import type { Scenario } from '../harness/scenario.js';
import { lasts, until } from '../harness/until.js';
import { idsOf, job, victims } from './jobs.js';

/** Every second task is a poison: it fails at each attempt. */
const mixed = (i: number): Job => job(i, i % 2 === 0 ? { failures: 99 } : {});

/** The dead-letter stream cannot be written: nothing is lost, and the other tasks go on. */
async function withBrokenDeadKey(bench: Bench): Promise<void> {
  const t = Date.now();
  await bench.watch.ask(['SET', KEYS.dead, 'somebody wrote a string here']);
  const goodIds = idsOf(20, () => true, 'during');
  await bench.load({ count: 20, overMs: 200, job: (i) => job(i, {}, 'during') }).done;
  const areDone = async () =>
    [...(await bench.watch.states([...goodIds])).values()].filter((state) => state === 'completed').length === 20;
  await until('good tasks to be done while dead letters cannot be written', areDone, 15_000).catch((error: Error) =>
    bench.check(error.message, false),
  );
  await lasts(bench.isSmall ? 500 : 10_000);
  await bench.watch.ask(['DEL', KEYS.dead]);
  bench.fault('dead-key-broken', { t, until: Date.now() });
}

/** Workers are killed while they set poisons aside; before that the dead-letter stream was unusable for a while. */
export const f27: Scenario = {
  id: 'F27',
  title: 'SIGKILL around dead-lettering, broken dead-letter key',
  tasks: 2_000,
  faults: 100,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    await bench.startFleet();
    const gapMs = bench.isSmall ? 700 : 1_000;
    const plan = victims(bench);
    const load = bench.load({ count: bench.taskCount, overMs: gapMs * plan.length, job: mixed });
    await withBrokenDeadKey(bench);
    for (const slot of plan) {
      await lasts(gapMs);
      await bench.fleet.ready();
      bench.fault('worker-sigkill', { victim: await bench.fleet.kill(slot) });
    }
    await load.done;
    bench.expected = {
      dead: idsOf(bench.taskCount, (i) => i % 2 === 0),
      deadReasons: ['attempts-exhausted', 'crash-limit'],
    };
  },
};
