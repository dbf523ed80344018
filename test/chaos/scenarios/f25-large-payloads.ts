import { KEYS } from '../harness/queue-watch.js';
import type { Scenario } from '../harness/scenario.js';
import { job } from './jobs.js';

const MEBIBYTE = 1_048_576;

/** Payloads far above the limit come from another program: set aside unread, while good tasks keep their pace. */
export const f25: Scenario = {
  id: 'F25',
  title: 'very large payloads',
  tasks: 2_000,
  faults: 2,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    await bench.startFleet({ isOneEnough: true });
    const load = bench.load({ count: bench.taskCount, overMs: bench.isSmall ? 1_500 : 10_000, job: (i) => job(i) });
    for (const size of bench.isSmall ? [5] : [5, 64]) {
      const body = JSON.stringify('x'.repeat(size * MEBIBYTE));
      const fields = ['head', `2\nlarge-${size}\nchaos.job\n\n`, 'body', body];
      await bench.watch.ask(['XADD', KEYS.stream, '*', ...fields]);
      bench.fault(`payload-of-${size}-MiB`);
    }
    const own = job(0, { key: 'x'.repeat(2 * MEBIBYTE) }, 'own');
    bench.check('the producer refuses it before it is sent', !(await bench.producer.send(own, false)));
    await load.done;
    bench.expected = {
      dead: new Set((bench.isSmall ? [5] : [5, 64]).map((size) => `large-${size}`)),
      deadReasons: ['payload-too-large'],
    };
  },
};
