import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../harness/bench.js';
import { keysOf } from '../harness/queue-watch.js';
import type { SeededRandom } from '../harness/random.js';
import { MIXED_QUEUES } from '../worker/settings.js';
import type { Blow, Ground } from './ground.js';

export interface Field {
  readonly bench: Bench;
  readonly ground: Ground;
  /** The longest lease of the fleet. */
  readonly longestLeaseMs: number;
}

/** One fault of a plan. */
export interface PlannedFault {
  readonly kind: FaultKind;
  readonly slot: number;
  /** From 0 up to 1, for what has a length. */
  readonly size: number;
}

type Strike = (field: Field, fault: PlannedFault) => Promise<({ readonly victim?: number } & Blow) | void>;

const QUEUES = Object.keys(MIXED_QUEUES);

const onEachQueue =
  (command: (queue: string) => readonly string[]): Strike =>
  async ({ bench }) =>
    void (await Promise.all(QUEUES.map((queue) => bench.watchOf(queue).ask(command(queue)))));

/** Between one lease and 1.5, and where there is time up to 8 s. */
function pauseMs({ bench, longestLeaseMs }: Field, size: number): number {
  return bench.isSmall ? longestLeaseMs * (1 + size / 2) : 1_000 + size * 7_000;
}

async function stopWorker(field: Field, { slot }: PlannedFault): Promise<{ readonly victim: number }> {
  const worker = field.bench.fleet.at(slot);
  worker.signal('SIGSTOP');
  await pause(1.5 * field.longestLeaseMs);
  worker.signal('SIGCONT');
  return { victim: worker.pid };
}

async function roll({ bench }: Field, { slot }: PlannedFault): Promise<{ readonly victim: number }> {
  await bench.fleet.ready();
  return { victim: (await bench.fleet.terminate(slot)).pid };
}

async function kill({ bench }: Field, { slot }: PlannedFault): Promise<{ readonly victim: number }> {
  await bench.fleet.ready();
  return { victim: await bench.fleet.kill(slot) };
}

async function pauseQueue({ bench }: Field): Promise<void> {
  await bench.producer.queues.pause('m-slow');
  await pause(500);
  await bench.producer.queues.resume('m-slow');
}

const WORKERS = {
  'worker-sigkill': kill,
  'worker-sigstop': stopWorker,
  'rolling-stop': roll,
  'connections-cut': async ({ ground }) => void (await ground.cutConnections()),
  'queue-paused': pauseQueue,
  'queue-drained': async ({ bench }) => void (await bench.producer.queues.drain('m-drained', { delayed: true })),
  'queue-purged': async ({ bench }) => void (await bench.producer.queues.purge('m-drained', { confirm: 'm-drained' })),
  'stream-trimmed': async ({ bench }) =>
    void (await bench.watchOf('m-victim').ask(['XTRIM', keysOf('m-victim').stream, 'MAXLEN', '0'])),
} satisfies Record<string, Strike>;

const SERVER = {
  'redis-sigstop': async (field, { size }) => {
    await field.bench.redis.kill('SIGSTOP');
    await pause(pauseMs(field, size));
    await field.bench.redis.kill('SIGCONT');
  },
  'redis-down': async (field, { size }) => {
    await field.bench.killRedis();
    await pause(field.longestLeaseMs * 1.5 * size);
    await field.bench.reviveRedis();
  },
  'script-flush': async ({ bench }) => void (await bench.watch.ask(['SCRIPT', 'FLUSH'])),
  'client-kill': async ({ bench }) =>
    void (await bench.watch.ask(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'])),
  'owners-deleted': onEachQueue((queue) => ['DEL', keysOf(queue).owners]),
  'heartbeat-deleted': onEachQueue((queue) => ['DEL', keysOf(queue).heartbeat]),
} satisfies Record<string, Strike>;

const STRIKES: Readonly<Record<string, Strike>> = { ...WORKERS, ...SERVER };

/** What depends on which servers there are. */
type GroundFault =
  'redis-clock-ahead' | 'redis-clock-back' | 'sentinel-failover' | 'primary-sigkill' | 'master-sigkill' | 'slot-moved';

export type FaultKind = keyof typeof WORKERS | keyof typeof SERVER | GroundFault;
export const WORKER_FAULTS = Object.keys(WORKERS) as readonly FaultKind[];
export const SERVER_FAULTS = Object.keys(SERVER) as readonly FaultKind[];

/** Each kind in turn, in an order that the seed decides, so that few faults are of many kinds. */
export function planFaults(
  random: SeededRandom,
  kinds: readonly FaultKind[],
  count: number,
  slots: number,
): PlannedFault[] {
  const order = random.times(kinds.length, () => random.next());
  const shuffled = [...kinds.keys()].sort((a, b) => (order[a] ?? 0) - (order[b] ?? 0)).flatMap((n) => kinds[n] ?? []);
  const times = kinds.length === 0 ? 0 : count;
  return planInOrder(
    random,
    Array.from({ length: times }, (_, n) => shuffled[n % shuffled.length] ?? 'worker-sigkill'),
    slots,
  );
}

export function planInOrder(random: SeededRandom, kinds: readonly FaultKind[], slots: number): PlannedFault[] {
  return random.times(kinds.length, (each, n) => ({
    kind: kinds[n] ?? 'worker-sigkill',
    slot: each.between(0, slots - 1),
    size: each.next(),
  }));
}

/** Carries one fault out and notes it. One that cannot be carried out is a failure of the harness. */
export async function strike(field: Field, fault: PlannedFault): Promise<void> {
  const t = Date.now();
  const act: Strike = STRIKES[fault.kind] ?? (({ ground }, { size }) => blowOf(ground, fault.kind)(size));
  const { victim, mayLose } = (await act(field, fault)) ?? {};
  field.bench.fault(fault.kind, { t, victim, until: Date.now(), mayLose });
}

function blowOf({ blows }: Ground, kind: FaultKind): Ground['blows'][string] {
  const blow = blows[kind];
  if (!blow) throw new Error(`these servers have no ${kind}`);
  return blow;
}
