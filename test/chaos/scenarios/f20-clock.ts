import { findFaketime } from '../../../scripts/chaos/find-faketime.mjs';
import { startRedisWithClock } from '../harness/redis-clock.js';
import type { Scenario } from '../harness/scenario.js';
import { lasts } from '../harness/until.js';
import { job } from './jobs.js';

const NO_FAKETIME = 'no libfaketime on this machine, and none to be fetched (Debian: apt install faketime)';

/** Workers whose clocks are an hour wrong do the same work: times come from Redis, and durations from no clock at all. */
export const f20: Scenario = {
  id: 'F20',
  title: 'clocks of workers an hour off',
  tasks: 5_000,
  faults: 2,
  async run(bench) {
    const faketime = await findFaketime();
    if (!faketime) {
      bench.skipped = NO_FAKETIME;
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

/** An hour ahead, every lease looks lapsed, and every task that waits looks due. */
const ahead = jumps('F20-redis', 'the clock of Redis jumps ahead by an hour', +1, (i) => (i % 7 === 0 ? 1 : 0));
/** An hour back, what is delayed or orphaned waits that hour longer; everything else must not notice. */
const back = jumps('F20-redis-back', 'the clock of Redis jumps back by an hour', -1, () => 0);

/** What runs then may run twice, but nothing is lost, and the present owner alone can settle: a fence has no clock. */
export const f20Redis: readonly Scenario[] = [ahead, back];

function jumps(id: string, title: string, hours: 1 | -1, failuresOf: (i: number) => number): Scenario {
  return {
    id,
    title,
    tasks: 10_000,
    faults: 8,
    async run(bench) {
      const faketime = await findFaketime();
      const clock = faketime && (await startRedisWithClock(bench, faketime));
      if (!clock) {
        bench.skipped = faketime ? 'the Redis here takes its clock from elsewhere, as a container does' : NO_FAKETIME;
        return;
      }
      await bench.openProducer();
      const fleet = await bench.startFleet();
      const gapMs = bench.isSmall ? 1_000 : 5_000;
      const overMs = gapMs * (bench.faultCount + 1);
      const load = bench.load({
        count: bench.taskCount,
        overMs,
        job: (i) => job(i, { failures: failuresOf(i) }),
      });
      for (let n = 0; n < bench.faultCount; n += 1) {
        await lasts(gapMs);
        await clock.jump(hours);
        bench.fault(hours > 0 ? 'redis-clock+1h' : 'redis-clock-1h');
      }
      await load.done;
      bench.expected = { mostRawDoubled: fleet.size * 10 * bench.faultCount };
    },
  };
}
