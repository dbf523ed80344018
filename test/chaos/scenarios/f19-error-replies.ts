import type { Bench } from '../harness/bench.js';
import type { ChaosProxy } from '../harness/chaos-proxy.js';
import type { Scenario } from '../harness/scenario.js';
import { TRANSIENT_REPLIES } from '../harness/transient-replies.js';
import { lasts } from '../harness/until.js';
import { job } from './jobs.js';

const REPLIES = [
  ...TRANSIENT_REPLIES,
  'NOSCRIPT No matching script. Please use EVAL.',
  "OOM command not allowed when used memory > 'maxmemory'.",
  'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
  'NOREPLICAS Not enough good replicas to write.',
  'NOAUTH Authentication required.',
  'WRONGPASS invalid username-password pair or user is disabled.',
  'NOPERM this user has no permissions to run the command',
  "ERR unknown command 'EVALSHA'",
  "NOGROUP No such key 'x' or consumer group 'workers' in XREADGROUP with GROUP option",
  'WRONGTYPE Operation against a key holding the wrong kind of value',
  'ERR something nobody has heard of',
] as const;

const RATE = 60;

/** Every command is answered with one error for a while; the workers wait, and go on by themselves. */
async function answerWith(bench: Bench, proxy: ChaosProxy, error: string): Promise<void> {
  const ms = bench.isSmall ? 250 : 3_000;
  const t = Date.now();
  const before = proxy.commandCount;
  proxy.judge = () => ({ error });
  await lasts(ms);
  // What was under way when it began is no sign of a loop, nor are the first tries, which follow each other quickly.
  const rate = (proxy.commandCount - before) / (ms / 1_000) / bench.fleet.size;
  proxy.heal();
  bench.fault(
    error
      .split(' ')
      .slice(0, error.startsWith('ERR') ? 3 : 1)
      .join('-'),
    { t, until: Date.now() },
  );
  if (!bench.isSmall)
    bench.check(`no worker spins on ${error} (${RATE} commands/s)`, rate <= RATE, `${Math.round(rate)}/s`);
}

/** Error replies cost no task an attempt and end no worker. */
export const f19: Scenario = {
  id: 'F19',
  title: 'error replies of Redis',
  tasks: 5_000,
  faults: REPLIES.length,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    const proxy = await bench.startProxy();
    await bench.startFleet({ isOneEnough: true, url: () => proxy.url });
    const gapMs = bench.isSmall ? 100 : 7_000;
    const replies = bench.isSmall ? bench.random.times(4, (random) => random.pick(REPLIES)) : REPLIES;
    const overMs = replies.length * (gapMs + (bench.isSmall ? 250 : 3_000));
    const load = bench.load({ count: bench.taskCount, overMs, job: (i) => job(i) });
    for (const error of replies) {
      await answerWith(bench, proxy, error);
      await lasts(gapMs);
    }
    await load.done;
    // What only somebody outside can change is asked for again every five seconds, and not sooner.
    bench.expected = { attempts: 1, recoveryP99Ms: 6_000 };
  },
};
