import type { Scenario } from '../harness/scenario.js';
import { job } from './jobs.js';

const BUCKET_MS = 100;
const MOST = 0.15;
/** Few tasks fall less evenly, and the machine of a test is busy. Without any spread it is more than nine in ten. */
const MOST_OF_FEW = 0.4;

/** Tasks that fail together do not come back together. */
export const f29: Scenario = {
  id: 'F29',
  title: 'spread of retries',
  tasks: 1_000,
  faults: 1_000,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    const fleet = await bench.startFleet({
      isOneEnough: true,
      options: {
        concurrency: 100,
        timing: { promoteMs: 20 },
        retry: { attempts: 3, backoff: { type: 'exponential', delayMs: 2_000, jitter: 'equal' } },
      },
    });
    const { taskCount } = bench;
    await bench.load({ count: taskCount, overMs: 0, job: (i) => job(i, { ms: 0, failures: 1 }) }).done;
    for (let i = 0; i < taskCount; i += 1) bench.fault('failed-once');
    await bench.drained();
    bench.expected = {
      attempts: 2,
      handouts: 1,
      rawEffects: 1,
      mostRetriesInBucket: { bucketMs: BUCKET_MS, share: bench.isSmall ? MOST_OF_FEW : MOST },
    };
    bench.check('no worker ended', fleet.exits.length === 0);
  },
};
