import { KEYS } from '../harness/queue-watch.js';
import type { Scenario } from '../harness/scenario.js';
import { comesTrue } from '../harness/until.js';
import { idsOf, job } from './jobs.js';

/** Somebody wrote over the record of one delayed task: the others become due all the same. */
export const brokenItem: Scenario = {
  id: 'F28-broken-item',
  title: 'one delayed task cannot be promoted',
  tasks: 200,
  faults: 1,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    await bench.startFleet({ count: 1 });
    const count = 20;
    const delayed = (i: number) => ({ ...job(i, { ms: 0 }), options: { delayMs: 400 + i * 20 } });
    await bench.load({ count, overMs: 0, job: delayed }).done;
    await bench.watch.ask(['DEL', KEYS.record('job-0')], ['RPUSH', KEYS.record('job-0'), 'not a record']);
    bench.fault('record-overwritten');
    const others = idsOf(count, (i) => i > 0);
    const areDone = async () =>
      [...(await bench.watch.states([...others])).values()].filter((state) => state === 'completed').length;
    await comesTrue(async () => (await areDone()) === others.size, 4_000);
    const done = await areDone();
    bench.check('the other tasks are done', done === others.size, `${done} of ${others.size}`);
    const added = await bench.watch.entriesAdded();
    bench.check('the stream does not fill up with copies', added <= count * 2, added);
    // What becomes of the broken one is not promised.
    await bench.watch.ask(['DEL', KEYS.record('job-0')], ['ZREM', KEYS.delayed, 'job-0']);
    await bench.drained();
    bench.expected = { dead: 'any', lossForgivenBefore: Date.now(), areLeftoversMeant: true };
  },
};
