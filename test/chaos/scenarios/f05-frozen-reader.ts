import type { Scenario } from '../harness/scenario.js';
import { comesTrue, lasts } from '../harness/until.js';
import { job } from './jobs.js';

const SLACK_MS = 3_000;

/** The connection that blocks goes dead without a word: the next task must come through all the same. */
export const f05: Scenario = {
  id: 'F5',
  title: 'blocking connection frozen',
  tasks: 1_000,
  faults: 50,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    const proxy = await bench.startProxy();
    // One worker: nobody else fetches what this one does not.
    await bench.startFleet({ count: 1, url: () => proxy.url });
    await bench.producer.send(job(0, {}, 'first'));
    await bench.drained();
    await lasts(bench.leaseMs);
    const connections = proxy.connectionCount;
    const blockMs = bench.workerOptions.timing?.blockMs ?? 0;
    for (let i = 0; i < bench.scaled(50); i += 1) {
      proxy.judge = ({ name }) => (name === 'BLPOP' ? 'freeze' : 'pass');
      // The next blocking read is the one that freezes.
      await lasts(blockMs);
      bench.fault('reader-frozen');
      proxy.judge = () => 'pass';
      const probe = job(i, { ms: 0 });
      await bench.producer.send(probe);
      const isDone = () => bench.watch.states([probe.id]).then((states) => states.get(probe.id) === 'completed');
      const inTime = await comesTrue(isDone, blockMs + SLACK_MS);
      bench.check(`a task comes through within ${blockMs + SLACK_MS} ms`, inTime);
    }
    await bench.drained();
    const left = await comesTrue(() => proxy.connectionCount <= connections + 1, 5_000);
    bench.check('connections do not pile up', left, `${connections} before, ${proxy.connectionCount} after`);
  },
};
