import type { Scenario } from '../harness/scenario.js';
import { everyNth, idsOf, job } from './jobs.js';

const KILLERS = 5;
const CRASH_LIMIT = 3;
/** The turn that a suspect has to itself. */
const TURN_MS = 1_500;

/**
 * A task that was handed to the same process as a killer may be there each time until the killer is told from it: so many times
 * its lease expires, and a fleet that was killed starts again, as slowly as it does on this machine.
 */
const longestWaitMs = (takeOverMs: number, slowestStartMs: number) =>
  CRASH_LIMIT * (takeOverMs + slowestStartMs) + TURN_MS;

/** Tasks that end their process: they are set aside, and those beside them are not. */
export const f07: Scenario = {
  id: 'F7',
  title: 'poison that kills its process',
  tasks: 10_000,
  faults: KILLERS,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    const killers = everyNth(bench.taskCount, bench.isSmall ? 2 : KILLERS);
    await bench.startFleet({ areEndsMeant: true });
    const overMs = bench.isSmall ? 2_000 : 20_000;
    await bench.load({
      count: bench.taskCount,
      overMs,
      // Slow enough that every killer has others beside it.
      job: (i) => job(i, killers.has(i) ? { act: i % 2 === 0 ? 'sigkill' : 'exit', ms: 20 } : { ms: 100 }),
    }).done;
    const most = killers.size * (CRASH_LIMIT + 1);
    await bench.drained();
    const deaths = bench.fleet.exits.length;
    for (let i = 0; i < deaths; i += 1) bench.fault('killed-by-task');
    bench.check(`at most ${most} processes die`, deaths <= most, deaths);
    bench.expected = {
      dead: idsOf(bench.taskCount, (i) => killers.has(i)),
      deadReasons: ['crash-limit'],
      maxStartDelayMs: longestWaitMs(bench.takeOverMs, bench.fleet.longestStartMs),
    };
  },
};
