import { KEYS } from '../harness/queue-watch.js';
import type { Scenario } from '../harness/scenario.js';
import { until } from '../harness/until.js';
import { job } from './jobs.js';

/** Somebody trims the stream under tasks that are handed out: each is reported, and the queue goes on. */
export const f16: Scenario = {
  id: 'F16',
  title: 'entries deleted under pending tasks',
  tasks: 1_100,
  faults: 90,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    const held = bench.isSmall ? 20 : 40;
    const fleet = await bench.startFleet({ count: held / 10 });
    await bench.load({ count: held, overMs: 0, job: (i) => job(i, { ms: 60_000 }, 'held') }).done;
    await until('all to be handed out', async () => (await bench.watch.depth()).pending === held, 20_000);
    await bench.watch.ask(['XTRIM', KEYS.stream, 'MAXLEN', '0']);
    for (let i = 0; i < held; i += 1) bench.fault('entry-deleted');
    const forgiven = Date.now();
    for (let slot = 0; slot < fleet.size; slot += 1) bench.fault('worker-sigkill', { victim: await fleet.kill(slot) });
    await fleet.ready();
    await bench.load({ count: bench.taskCount - held, overMs: 500, job: (i) => job(i) }).done;
    await bench.drained();
    const { letters } = await bench.producer.deadLetters.list('chaos', { limit: 1_000 });
    const tombstones = letters.filter(({ reason }) => reason === 'payload-deleted').length;
    bench.check(`${held} tombstones`, tombstones === held, tombstones);
    bench.expected = { dead: 'any', lossForgivenBefore: forgiven, areLeftoversMeant: true };
  },
};
