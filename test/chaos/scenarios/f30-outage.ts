import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Scenario } from '../harness/scenario.js';
import { lasts } from '../harness/until.js';
import { job } from './jobs.js';

const OUTAGE_MS = 1_000;

/** What a handler depends on is down for a second: with the defaults of the library no task is given up. */
export const f30: Scenario = {
  id: 'F30',
  title: 'outage of a dependency with the default retries',
  tasks: 5_000,
  faults: 10,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer(bench.redis.url, { retry: {} });
    const file = path.join(bench.dir, 'down');
    await bench.startFleet({ isOneEnough: true, options: { retry: {} } });
    const gapMs = bench.isSmall ? 300 : 5_000;
    const outages = bench.scaled(10);
    const load = bench.load({
      count: bench.taskCount,
      overMs: outages * (OUTAGE_MS + gapMs),
      job: (i) => job(i, { brokenWhile: file }),
    });
    for (let i = 0; i < outages; i += 1) {
      await lasts(gapMs);
      const t = Date.now();
      writeFileSync(file, '');
      await lasts(OUTAGE_MS);
      rmSync(file);
      bench.fault('dependency-down', { t, until: Date.now() });
    }
    await load.done;
    bench.expected = { attempts: 5, handouts: 1, rawEffects: 1 };
  },
};
