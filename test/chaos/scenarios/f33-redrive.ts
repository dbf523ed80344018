import { QUEUE } from '../worker/settings.js';
import type { Scenario } from '../harness/scenario.js';
import { idsOf, job } from './jobs.js';

/** Attempts until a poison of this scenario is mended; a true poison never is. */
const FIRST_LIFE = 3;

/** Dead letters are sent again: what was mended is done, what was not comes back once. */
export const f33: Scenario = {
  id: 'F33',
  title: 'redrive of dead letters',
  tasks: 1_000,
  faults: 1_000,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    await bench.startFleet({ isOneEnough: true });
    const { taskCount } = bench;
    const isPoison = (i: number) => i % 100 === 0;
    const failing = (i: number) => job(i, { ms: 0, failures: FIRST_LIFE });
    await bench.load({ count: taskCount, overMs: 500, job: failing }).done;
    await bench.drained();
    const { deadLetters } = bench.producer;
    const { letters } = await deadLetters.list(QUEUE, { limit: 1_000 });
    bench.check('every task is a dead letter', letters.length === taskCount, letters.length);
    for (const { entryId, taskId } of letters) {
      const i = Number(taskId.slice('job-'.length));
      const payload = isPoison(i) ? failing(i).payload : { ...failing(i).payload, failures: 0 };
      if (entryId !== undefined) await deadLetters.redrive(QUEUE, entryId, { payload });
      bench.fault('redriven');
    }
    await bench.drained();
    const again = await deadLetters.list(QUEUE, { limit: 1_000 });
    const counts = new Set(again.letters.map(({ redriveCount }) => redriveCount));
    bench.check('what came back was redriven once', counts.size === 1 && counts.has(1), [...counts].join());
    bench.expected = {
      areBodiesMended: true,
      dead: idsOf(taskCount, isPoison),
      rawEffects: 1,
      deadReasons: ['attempts-exhausted'],
    };
  },
};
