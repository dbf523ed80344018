import type { Scenario } from '../harness/scenario.js';
import { until } from '../harness/until.js';
import { dropReplies } from './f04-lost-reply.js';
import { job } from './jobs.js';

/** A caller who never got an answer sends the same id again. */
export const f31: Scenario = {
  id: 'F31',
  title: 'reply of an enqueue lost',
  tasks: 50_000,
  faults: 100,
  async run(bench) {
    await bench.startRedis();
    const proxy = await bench.startProxy();
    // The control must not be saved by the library's own tries, which send the same id again.
    await bench.openProducer(proxy.url, bench.scenario.control ? { enqueueTimeoutMs: 50 } : {});
    await bench.startFleet({ isOneEnough: true });
    dropReplies(bench, proxy, bench.isSmall ? 0.1 : 0.01);
    const { taskCount } = bench;
    await bench.load({ count: taskCount, overMs: bench.isSmall ? 2_000 : 60_000, job: (i) => job(i) }).done;
    proxy.heal();
    await until('an empty queue', () => bench.watch.isDrained(), 60_000);
    const added = await bench.watch.entriesAdded();
    bench.check(`${taskCount} tasks are ${taskCount} entries`, added === taskCount, added);
    bench.expected = { rawEffects: 1 };
  },
};
