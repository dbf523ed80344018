import type { Bench } from '../harness/bench.js';
import type { ChaosProxy } from '../harness/chaos-proxy.js';
import { KEYS, type RedisCommand } from '../harness/queue-watch.js';
import type { Scenario } from '../harness/scenario.js';
import { comesTrue, lasts } from '../harness/until.js';
import { job } from './jobs.js';

const LOG_LINES = 5;
const RESUME_MS = 2_000;

const EVENTS: readonly (readonly [name: string, ...commands: RedisCommand[]])[] = [
  ['flushall', ['FLUSHALL']],
  ['stream-deleted', ['DEL', KEYS.stream]],
  ['group-destroyed', ['XGROUP', 'DESTROY', KEYS.stream, 'workers']],
  ['stream-overwritten', ['DEL', KEYS.stream], ['SET', KEYS.stream, 'a string']],
];

/** A string lies where the stream was: the workers wait for somebody to mend it, quietly. */
async function whileOverwritten(bench: Bench, proxy: ChaosProxy): Promise<void> {
  const before = proxy.commandCount;
  const ms = 1_500;
  await lasts(ms);
  const rate = (proxy.commandCount - before) / (ms / 1_000) / bench.fleet.size;
  bench.check('no worker spins on a broken stream (60 commands/s)', rate <= 60, `${Math.round(rate)}/s`);
  await bench.watch.ask(['DEL', KEYS.stream]);
}

async function strike(bench: Bench, proxy: ChaosProxy, n: number): Promise<void> {
  const [name, ...commands] = EVENTS[n % EVENTS.length] ?? ['flushall'];
  const linesBefore = bench.fleet.current.map(({ lineCount }) => lineCount);
  const t = Date.now();
  await bench.watch.ask(...commands);
  if (name === 'stream-overwritten') await whileOverwritten(bench, proxy);
  bench.fault(name, { t, until: Date.now() });
  const probe = job(n, { ms: 0 }, 'probe');
  await bench.producer.send(probe);
  const sentAt = Date.now();
  const isDone = () => bench.watch.states([probe.id]).then((states) => states.get(probe.id) === 'completed');
  const inTime = await comesTrue(isDone, RESUME_MS + (bench.isSmall ? 3_000 : 500));
  bench.check(`a task sent after ${name} is done within ${RESUME_MS} ms`, inTime, `${Date.now() - sentAt} ms`);
  const lines = Math.max(...bench.fleet.current.map(({ lineCount }, i) => lineCount - (linesBefore[i] ?? 0)));
  // One line by the library is three of text here: an error has its stack.
  bench.check(`${name} is at most ${LOG_LINES} lines in the log`, lines <= LOG_LINES * 12, lines);
}

/** Somebody deletes the stream, its group, or everything; or writes over it. */
export const f15: Scenario = {
  id: 'F15',
  title: 'stream or group gone',
  tasks: 10_000,
  faults: 80,
  async run(bench) {
    await bench.startRedis();
    await bench.openProducer();
    const proxy = await bench.startProxy();
    await bench.startFleet({ url: () => proxy.url });
    const gapMs = 500;
    const events = bench.scaled(80, EVENTS.length);
    const load = bench.load({
      count: bench.taskCount,
      overMs: events * gapMs * 2,
      job: (i) => job(i),
      persists: false,
    });
    for (let n = 0; n < events; n += 1) {
      await lasts(gapMs);
      await strike(bench, proxy, n);
    }
    await load.done;
    const last = job(events, {}, 'probe');
    await bench.drained();
    // What somebody deleted by hand leaves records behind of which nobody can know that they are about nothing.
    bench.expected = { lossForgivenBefore: Date.now(), areLeftoversMeant: true };
    await bench.producer.send(last);
  },
};
