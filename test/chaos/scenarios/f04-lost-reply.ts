import type { Bench } from '../harness/bench.js';
import type { ChaosProxy } from '../harness/chaos-proxy.js';
import type { Scenario } from '../harness/scenario.js';
import { job } from './jobs.js';

/** Throws a share of the replies away, after Redis has done what it was told. */
export function dropReplies(bench: Bench, proxy: ChaosProxy, share: number, only?: string): void {
  proxy.judge = ({ name }) => {
    // What a client asks while it connects is no part of the plan.
    if (name === 'INFO' || name === 'CLIENT' || name === 'HELLO' || (only && name !== only)) return 'pass';
    if (bench.random.next() >= share) return 'pass';
    bench.fault('dropped-reply');
    return 'drop-reply';
  };
}

/** Tasks that were handed out in an answer nobody got must not wait for their lease. */
export const f04: Scenario = {
  id: 'F4',
  title: 'reply of a hand-out lost',
  tasks: 20_000,
  faults: 100,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    const proxy = await bench.startProxy();
    // Long, so that a task that waits for its lease is told from one that was found at once.
    const leaseMs = 6_000;
    await bench.startFleet({ url: () => proxy.url, options: { leaseMs, timing: { sweepMs: 500 } } });
    dropReplies(bench, proxy, bench.isSmall ? 0.02 : 0.005);
    const overMs = bench.isSmall ? 2_500 : 60_000;
    await bench.load({ count: bench.taskCount, overMs, job: (i) => job(i) }).done;
    bench.expected = { maxStartDelayMs: leaseMs / 2 };
  },
};
