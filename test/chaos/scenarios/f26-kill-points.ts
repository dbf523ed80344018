import path from 'node:path';
import type { Scenario } from '../harness/scenario.js';
import type { KillPoint } from '../worker/settings.js';
import { job } from './jobs.js';

const SHARE = 0.05;

interface Window {
  readonly point: KillPoint;
  /** Whether effects go to a store with a unique key, as the recipe for payments says. */
  readonly isUnique: boolean;
}

const killAt = ({ point, isUnique }: Window): Scenario => ({
  id: `F26-${point}${isUnique ? '-unique' : ''}`,
  title: `killed ${point.replace('-', ' the ')}, ${isUnique ? 'unique key' : 'done mark only'}`,
  tasks: 2_000,
  faults: 100,
  isVariant: !isUnique && point !== 'after-mark',
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    // One task at a time: whoever dies takes nobody along, so that every doubled effect is a kill of the plan.
    await bench.startFleet({
      options: { concurrency: 1 },
      areEndsMeant: true,
      settings: {
        ...(isUnique ? { effectsDir: path.join(bench.dir, 'effects') } : {}),
        ...(point === 'after-mark' ? { marksDir: path.join(bench.dir, 'marks') } : {}),
        killAt: { point, share: bench.isSmall ? 2 / bench.taskCount : SHARE, seed: bench.context.seed },
      },
    });
    await bench.load({ count: bench.taskCount, overMs: 500, job: (i) => job(i, { ms: 1 }) }).done;
    // A hundred workers die and start again meanwhile, which is most of the time and nothing to be judged.
    await bench.drained();
    bench.expected = {
      hasUniqueEffects: isUnique,
      ...(point === 'after-effect' ? { doubledEqualsKills: true } : { rawEffects: 1 }),
    };
  },
});

const POINTS: readonly KillPoint[] = ['before-effect', 'after-effect', 'after-mark', 'after-ack'];

/** A worker dies in each window between an effect and its acknowledgement. */
export const f26 = [
  ...POINTS.map((point) => killAt({ point, isUnique: false })),
  killAt({ point: 'after-effect', isUnique: true }),
];
