import type { Bench } from '../harness/bench.js';
import type { ChaosProxy } from '../harness/chaos-proxy.js';
import { KEYS, type RedisCommand } from '../harness/queue-watch.js';
import type { Scenario } from '../harness/scenario.js';
import { comesTrue, lasts } from '../harness/until.js';
import { job } from './jobs.js';

const LOG_LINES = 5;
const RESUME_MS = 2_000;

interface Accident {
  readonly name: string;
  readonly commands: readonly RedisCommand[];
  /** The entries that were there are gone with it. */
  readonly losesStream: boolean;
}

const ACCIDENTS: readonly Accident[] = [
  { name: 'flushall', commands: [['FLUSHALL']], losesStream: true },
  { name: 'stream-deleted', commands: [['DEL', KEYS.stream]], losesStream: true },
  { name: 'group-destroyed', commands: [['XGROUP', 'DESTROY', KEYS.stream, 'workers']], losesStream: false },
  {
    name: 'stream-overwritten',
    commands: [
      ['DEL', KEYS.stream],
      ['SET', KEYS.stream, 'a string'],
    ],
    losesStream: true,
  },
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

/** Does it, and answers the ids of the tasks that were in the stream at that moment: nothing comes in between. */
async function happen(bench: Bench, { commands }: Accident): Promise<string[]> {
  const replies = await bench.watch.ask(['MULTI'], ['XRANGE', KEYS.stream, '-', '+'], ...commands, ['EXEC']);
  const [entries] = replies.at(-1) as [[string, string[]][] | null];
  return (entries ?? []).map(([, fields]) => (fields[fields.indexOf('head') + 1] ?? '').split('\n')[1] ?? '');
}

async function strike(bench: Bench, proxy: ChaosProxy, accident: Accident, n: number): Promise<string[]> {
  const { name } = accident;
  const linesBefore = bench.fleet.current.map(({ lineCount }) => lineCount);
  const t = Date.now();
  const inStream = await happen(bench, accident);
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
  return accident.losesStream ? inStream : [];
}

async function repeat(bench: Bench, accident: Accident): Promise<void> {
  await bench.startRedis();
  await bench.openProducer();
  const proxy = await bench.startProxy();
  await bench.startFleet({ url: () => proxy.url });
  const gapMs = 500;
  const times = bench.scaled(20, 2);
  const load = bench.load({
    count: bench.taskCount,
    overMs: times * gapMs * 2,
    // Long enough that some run and some wait when it happens.
    job: (i) => job(i, { ms: 20 + (i % 20) * 10 }),
    persists: false,
  });
  const gone = new Set<string>();
  for (let n = 0; n < times; n += 1) {
    await lasts(gapMs);
    for (const id of await strike(bench, proxy, accident, n)) gone.add(id);
  }
  await load.done;
  const last = job(times, {}, 'probe');
  await bench.drained();
  bench.note(`${gone.size} tasks were in the stream when it went`);
  bench.check('something was in the stream when it went', gone.size > 0 || !accident.losesStream);
  bench.expected = {
    // Exactly what was deleted by hand may be gone, and its records stay: nobody can know that they are about nothing.
    lossForgiven: gone,
    areLeftoversMeant: accident.losesStream,
  };
  await bench.producer.send(last);
}

/** Somebody deletes the stream, its group, or everything; or writes over it. Each is judged for itself. */
export const f15: readonly Scenario[] = ACCIDENTS.map((accident) => ({
  id: `F15-${accident.name}`,
  title: `${accident.name.replace('-', ' ')} under load`,
  tasks: 2_500,
  faults: 20,
  isVariant: accident.name === 'stream-deleted',
  run: (bench) => repeat(bench, accident),
}));
