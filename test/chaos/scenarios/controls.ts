import type { Scenario } from '../harness/scenario.js';
import { lasts } from '../harness/until.js';
import { f01 } from './f01-sigkill.js';
import { f02 } from './f02-zombie.js';
import { f26 } from './f26-kill-points.js';
import { f27 } from './f27-dead-letters.js';
import { f31 } from './f31-lost-enqueue-reply.js';
import { f32 } from './f32-redis-down.js';
import { f35 } from './f35-keys.js';
import { f36 } from './f36-slow-suspect.js';
import { m1, m4 } from './mixed.js';
import { job } from './jobs.js';

/** More tasks than there are slots, so that some wait in the stream when something happens to it. */
const backlog: Pick<Scenario, 'tasks' | 'faults' | 'run'> = {
  tasks: 1_000,
  faults: 1,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    await bench.startFleet();
    await bench.load({ count: bench.taskCount, overMs: 0, job: (i) => job(i, { ms: 100 }) }).done;
    await lasts(200);
    await bench.watch.ask(['XGROUP', 'DESTROY', 'ts:{chaos}:stream', 'workers']);
    bench.fault('group-destroyed');
  },
};

const killedAfterEffect = f26.find(({ id }) => id === 'F26-after-effect-unique') ?? f27;

const small = { tasks: 2_000, faults: 20 } as const;

/** Builds that lack one of the safeguards. A harness that reports nothing for one of them is blind. */
export const CONTROLS: readonly Scenario[] = [
  { ...f02, ...small, id: 'control-no-fence', title: 'plain XACK', control: 'no-fence', mustFail: 'I5' },
  {
    ...f27,
    ...small,
    id: 'control-multi',
    title: 'MULTI instead of a script',
    control: 'multi-instead-of-script',
    mustFail: 'I1',
  },
  { ...f01, ...small, id: 'control-no-reclaim', title: 'nobody takes over', control: 'no-reclaim', mustFail: 'I2' },
  { ...backlog, id: 'control-maxlen', title: 'MAXLEN on add', control: 'maxlen-on-add', mustFail: 'I1' },
  { ...backlog, id: 'control-group-at-end', title: 'group at $', control: 'group-at-end', mustFail: 'I2' },
  { ...f35, ...small, id: 'control-no-key-lock', title: 'keys without locks', control: 'no-key-lock', mustFail: 'I3' },
  {
    ...m1,
    ...small,
    id: 'control-mixed-no-key-lock',
    isVariant: false,
    title: 'everything mixed, keys without locks',
    control: 'no-key-lock',
    mustFail: 'I3',
  },
  {
    ...m4,
    tasks: 4_000,
    faults: 4,
    isVariant: true,
    id: 'control-mixed-unconfirmed',
    title: 'everything mixed, receipts that no replica confirmed',
    control: 'no-confirmation',
    mustFail: 'I1: confirmed',
  },
  {
    ...killedAfterEffect,
    ...small,
    id: 'control-key-by-delivery',
    title: 'another key for each delivery',
    control: 'key-by-delivery',
    mustFail: 'I3',
  },
  {
    ...f36,
    isVariant: false,
    id: 'control-suspect-holds-queue',
    title: 'a suspect that nobody may run beside',
    control: 'suspect-holds-queue',
    mustFail: 'I7',
  },
  {
    ...f32,
    id: 'control-no-deadline',
    title: 'an enqueue without deadline',
    control: 'no-deadline',
    mustFail: 'all answer',
  },
  { ...f31, ...small, id: 'control-no-dedup', title: 'a new id for each try', control: 'no-dedup', mustFail: 'I3' },
];
