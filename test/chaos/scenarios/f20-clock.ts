import type { Scenario } from '../harness/scenario.js';
import { findFaketime } from '../../../scripts/chaos/find-faketime.mjs';
import { lasts } from '../harness/until.js';
import { job } from './jobs.js';

/** Workers whose clocks are an hour wrong do the same work: times come from Redis, and durations from no clock at all. */
export const f20: Scenario = {
  id: 'F20',
  title: 'clocks of workers an hour off',
  tasks: 5_000,
  faults: 2,
  async run(bench) {
    const faketime = await findFaketime();
    if (!faketime) {
      bench.skipped = 'no libfaketime on this machine, and none to be fetched (Debian: apt install faketime)';
      return;
    }
    await bench.startRedis();
    await bench.openProducer();
    const offsets = ['+1h', '-1h'];
    await bench.startFleet({
      count: 2,
      place: (slot) => ({
        env: { LD_PRELOAD: faketime, FAKETIME: offsets[slot] ?? '+0', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
      }),
    });
    offsets.forEach((offset) => bench.fault(`clock${offset}`));
    const load = bench.load({
      count: bench.taskCount,
      overMs: bench.isSmall ? 2_000 : 30_000,
      job: (i) => job(i, { failures: i % 7 === 0 ? 1 : 0 }),
    });
    await load.done;
    await lasts(1);
    bench.expected = { attempts: 2, handouts: 1, rawEffects: 1 };
  },
};
