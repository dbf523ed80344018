import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestRedisOptions } from '../../support/redis-server.js';
import type { Bench } from './bench.js';
import { until } from './until.js';

/** Ahead of ours from the start, so that it shows whether the clock can be set at all. */
const START_HOURS = 1;

/** The clock of a Redis that is not the one of this machine. */
export interface RedisClock {
  /** Resolves when Redis goes by it. */
  jump(hours: number): Promise<void>;
}

/** Starts the Redis of a scenario with a clock of its own. @returns Undefined where the clock of the server cannot be set. */
export async function startRedisWithClock(
  bench: Bench,
  faketime: string,
  options: TestRedisOptions = {},
): Promise<RedisClock | undefined> {
  const file = path.join(bench.dir, 'clock');
  let now = START_HOURS;
  const write = () => writeFileSync(file, `${now < 0 ? '' : '+'}${now}h\n`);
  write();
  await bench.startRedis({
    ...options,
    env: {
      // The allocator of the C library too: jemalloc asks for the time before the other clock is ready to answer.
      LD_PRELOAD: `${faketime}:libc.so.6`,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  });
  // Seen rather than believed: where a library cannot be loaded before the program, that is not an error.
  if ((await hoursAhead(bench)) !== START_HOURS) return undefined;
  return {
    async jump(hours) {
      now += hours;
      write();
      await until(`the clock of Redis at +${now} h`, async () => (await hoursAhead(bench)) === now, 5_000);
    },
  };
}

async function hoursAhead(bench: Bench): Promise<number> {
  const [time] = await bench.watch.ask(['TIME']);
  const [seconds] = time as readonly string[];
  return Math.round((Number(seconds) * 1_000 - Date.now()) / 3_600_000);
}
