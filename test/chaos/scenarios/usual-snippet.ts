import type { Scenario } from '../harness/scenario.js';
import type { RedisCommand } from '../harness/queue-watch.js';
import { History, groupBy } from '../checker/history.js';
import type { Bench } from '../harness/bench.js';
import { readLedger } from '../harness/ledger.js';
import { comesTrue, lasts } from '../harness/until.js';
import { PAYMENT_GROUP, PAYMENTS } from '../worker/usual-snippet.js';
import { victims } from './jobs.js';

const GAP_MS = 150;
/** One payment in fifty takes longer than its lock lives. */
const SLOW_EVERY = 50;
const SLOW_MS = 2_500;
const QUICK_MS = 100;
/** What is not paid by then never will be. */
const SETTLED_MS = 15_000;

/** Asks for payments while workers are killed, and counts what became of each. */
async function pay(bench: Bench): Promise<void> {
  await bench.startRedis();
  await bench.openProducer();
  const fleet = await bench.startFleet();
  const perGap = Math.ceil(bench.taskCount / bench.faultCount);
  for (const [round, slot] of victims(bench).entries()) {
    await fleet.ready();
    const from = round * perGap;
    const ids = Array.from({ length: Math.min(perGap, bench.taskCount - from) }, (_, i) => from + i);
    await bench.watch.ask(...ids.map((n) => payment(bench, n)));
    await lasts(GAP_MS);
    bench.fault('worker-sigkill', { victim: await fleet.kill(slot) });
  }
  await comesTrue(() => isAllPaid(bench), bench.isSmall ? SETTLED_MS / 3 : SETTLED_MS);
  // Nothing is pending, and yet somebody may be paying.
  await lasts(SLOW_MS);
  tell(bench);
}

async function isAllPaid({ watch }: Bench): Promise<boolean> {
  const [pending] = (await watch.ask(['XPENDING', PAYMENTS, PAYMENT_GROUP])) as [[number, ...unknown[]]];
  return pending[0] === 0;
}

function payment(bench: Bench, n: number): RedisCommand {
  const id = `payment-${n}`;
  bench.ledger.write({ kind: 'intent', id, key: id });
  return ['XADD', PAYMENTS, '*', 'id', id, 'ms', String(n % SLOW_EVERY === 0 ? SLOW_MS : QUICK_MS)];
}

function tell(bench: Bench): void {
  const { effects } = new History(readLedger(bench.ledgerDir));
  const made = groupBy(effects, ({ key }) => key);
  const never = bench.taskCount - made.size;
  const twice = [...made.values()].filter((times) => times.length > 1).length;
  bench.note(`of ${bench.taskCount} payments ${never} were never made and ${twice} more than once`);
  if (never > 0) bench.problems.push(`never: ${never} of ${bench.taskCount} payments were not made`);
  if (twice > 0) bench.problems.push(`twice: ${twice} of ${bench.taskCount} payments were made more than once`);
}

const facts = { tasks: 2_000, faults: 20, run: pay } as const;

/** What many tutorials show, under what every deployment does. */
export const USUAL_SNIPPETS: readonly Scenario[] = [
  {
    ...facts,
    id: 'control-usual-snippet',
    title: 'the usual GET, SET NX, XACK',
    control: 'usual-snippet',
    mustFail: 'never',
  },
  {
    ...facts,
    id: 'control-usual-snippet-reclaim',
    title: 'the usual consumer with XAUTOCLAIM',
    control: 'usual-snippet-reclaim',
    mustFail: 'twice',
  },
];
