import type { Bench } from '../harness/bench.js';
import { KEYS } from '../harness/queue-watch.js';
import type { Scenario } from '../harness/scenario.js';
import { comesTrue, lasts, until } from '../harness/until.js';
import { idsOf, job } from './jobs.js';

const SLOTS = 10;

/** What a task is when the stream is trimmed, by its number within the slots of a worker. */
const KINDS = { completes: 6, retries: 2, slow: 2 } as const;

function kindOf(i: number): keyof typeof KINDS {
  const n = i % SLOTS;
  if (n < KINDS.completes) return 'completes';
  return n < KINDS.completes + KINDS.retries ? 'retries' : 'slow';
}

/** Enough for several renewals, which must not take a deleted entry for a lost lease. */
const RUN_LEASES = 1.5;

/** A task is sent again under its id, as somebody does who keeps an outbox. */
async function sendAgain(bench: Bench, ids: ReadonlySet<string>): Promise<void> {
  for (const id of ids) {
    const known = bench.producer.sent.get(id);
    if (known) await bench.producer.send(known);
  }
  const areDone = async () =>
    [...(await bench.watch.states([...ids])).values()].every((state) => state === 'completed');
  const inTime = await comesTrue(areDone, 10_000);
  bench.check('a task whose entry was deleted while it waited can be sent again and runs', inTime);
}

/**
 * Somebody trims the stream while tasks run and wait. What a living worker completes is completed; what comes to a retry, or was
 * with a worker that dies, is a dead letter with its id; what waited can be sent again.
 */
export const f16: Scenario = {
  id: 'F16',
  title: 'entries deleted under living workers',
  tasks: 1_100,
  faults: 90,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    const workers = bench.isSmall ? 2 : 4;
    const running = workers * SLOTS;
    const waiting = SLOTS;
    const fleet = await bench.startFleet({ count: workers });
    const ms = bench.leaseMs * RUN_LEASES;
    const held = (i: number) =>
      job(i, { ms: kindOf(i) === 'slow' ? 60_000 : ms, failures: kindOf(i) === 'retries' ? 1 : 0 }, 'held');
    await bench.load({ count: running, overMs: 0, job: held }).done;
    await until('all to be running', async () => (await bench.watch.depth()).pending === running, 20_000);
    await bench.load({ count: waiting, overMs: 0, job: (i) => job(i, {}, 'waiting') }).done;
    await bench.watch.ask(['XTRIM', KEYS.stream, 'MAXLEN', '0']);
    for (let i = 0; i < running + waiting; i += 1) bench.fault('entry-deleted');
    await lasts(ms + bench.leaseMs);
    for (let slot = 0; slot < fleet.size; slot += 1) bench.fault('worker-sigkill', { victim: await fleet.kill(slot) });
    await fleet.ready();
    await sendAgain(
      bench,
      idsOf(waiting, () => true, 'waiting'),
    );
    await bench.load({ count: bench.taskCount - running, overMs: 500, job: (i) => job(i) }).done;
    await bench.drained();
    const hasLetters = async () =>
      (await bench.watch.depth()).dead === idsOf(running, (i) => kindOf(i) !== 'completes').size;
    await comesTrue(hasLetters, bench.takeOverMs + 5_000);
    bench.expected = {
      dead: idsOf(running, (i) => kindOf(i) !== 'completes', 'held'),
      deadReasons: ['payload-deleted'],
    };
  },
};
