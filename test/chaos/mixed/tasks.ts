import type { Durability } from 'nestjs-task-streams';
import type { Job } from '../harness/producer.js';
import { SeededRandom } from '../harness/random.js';
import type { FollowUpJob, JobPayload, MixedQueue } from '../worker/settings.js';

/** What a task of a mixed run has to do with, and the share of all tasks. What is left is plain. */
const SHARES = {
  'sender-key': 0.06,
  'handler-key': 0.06,
  'follow-up': 0.06,
  conflict: 0.006,
  failing: 0.05,
  poison: 0.02,
  long: 0.008,
  killer: 0,
  suspect: 0,
  delayed: 0.05,
  rescheduled: 0.01,
  cancelled: 0.03,
  expiring: 0.02,
  victim: 0.05,
  drained: 0.02,
} as const;

export type Feature = keyof typeof SHARES;
export const FEATURES = Object.keys(SHARES) as readonly Feature[];

/** Tasks of one key, which come at once. */
const GROUP = 3;
/** One killer, and one suspect, in so many tasks. */
const KILLER_EVERY = 12_000;
/** Tasks whose ids some follow-ups want as well. */
export const TAKEN_IDS = 4;

export interface MixedTask extends Job {
  readonly queue: MixedQueue;
  readonly task: string;
  readonly feature: Feature | 'plain' | 'taken';
  /** Final states it may have, `dead:<reason>` for a dead letter, `gone` where nothing may be left of it. */
  readonly ends: readonly string[];
}

export interface Mix {
  readonly seed: number;
  readonly count: number;
  readonly leaseMs: number;
  readonly features: ReadonlySet<string>;
  /** How half of the tasks are confirmed. */
  readonly durability?: Durability | undefined;
  /** A task can enqueue follow-ups in its own queue only, as in a Cluster. */
  readonly isQueueAlone?: boolean;
}

/** Its sender was told that it cannot be lost. */
export function isDurable({ options }: Job): boolean {
  return options?.durability !== undefined;
}

/** Whose id follow-ups of others ask for. */
export function takenTask(n: number): MixedTask {
  const payload = { key: `taken-${n}`, ms: 1 };
  return { id: `taken-${n}`, payload, queue: 'm-fast', task: 'm.fast', feature: 'taken', ends: ['completed'] };
}

/** Task number `i` of a mix: the same for the same seed, whatever else is in the mix. */
export function mixedTask(mix: Mix, i: number): MixedTask {
  const group = Math.floor(i / GROUP);
  const random = new SeededRandom(mix.seed, `mixed-${group}`);
  const feature = featureOf(mix, i, random.next());
  const ms = 1 + random.between(0, 30);
  const queue = random.next() < 0.15 ? 'm-slow' : 'm-fast';
  const base: MixedTask = {
    id: `mix-${i}`,
    payload: { key: `mix-key-${i}`, ms },
    queue,
    task: queue === 'm-slow' ? 'm.slow' : 'm.fast',
    feature,
    ends: ['completed'],
  };
  const task = { ...base, ...SHAPES[feature]?.(base, { i, group, leaseMs: mix.leaseMs, random }) };
  return mix.isQueueAlone ? keepAtHome(confirmed(task, mix, group)) : confirmed(task, mix, group);
}

/** The same for all tasks of the group, which may have one key. */
function confirmed(task: MixedTask, { durability }: Mix, group: number): MixedTask {
  return durability && group % 2 === 0 ? { ...task, options: { ...task.options, durability } } : task;
}

function keepAtHome(task: MixedTask): MixedTask {
  const { followUps } = task.payload;
  if (!followUps) return task;
  return { ...task, ...withPayload(task, { followUps: followUps.filter(({ queue }) => queue === task.queue) }) };
}

function featureOf({ features, count }: Mix, i: number, roll: number): Feature | 'plain' {
  const every = Math.min(KILLER_EVERY, count);
  const special = { [Math.floor(every / 3)]: 'killer', [Math.floor((2 * every) / 3)]: 'suspect' } as const;
  const named = special[i % every] as Feature | undefined;
  if (named && features.has(named)) return named;
  let sum = 0;
  for (const feature of FEATURES) {
    sum += SHARES[feature];
    if (roll < sum) return features.has(feature) ? feature : 'plain';
  }
  return 'plain';
}

interface Draw {
  readonly i: number;
  readonly group: number;
  readonly leaseMs: number;
  readonly random: SeededRandom;
}

type Shape = (task: MixedTask, draw: Draw) => Partial<MixedTask>;

const inQueue = (queue: MixedQueue): Pick<MixedTask, 'queue' | 'task'> => ({ queue, task: queue.replace('-', '.') });

const withPayload = ({ payload }: MixedTask, more: Partial<JobPayload>) => ({ payload: { ...payload, ...more } });

/** The same for all tasks of the group. Some take longer than a lease, so that what stops Redis meets one at work. */
function keyed({ group, leaseMs, random }: Draw): JobPayload {
  const ms = group % 8 === 0 ? Math.round(leaseMs * 1.25) : random.between(1, 60);
  return { key: `mix-group-${group}`, ms, looksFirst: true };
}

function followUpsOf({ i, random }: Draw): FollowUpJob[] {
  const own: FollowUpJob = { task: 'm.slow', queue: 'm-slow', key: `child-${i}-1` };
  const other: FollowUpJob = { task: 'm.fast', queue: 'm-fast', key: `child-${i}-2`, id: `child-${i}` };
  return random.next() < 0.5 ? [own] : [own, other];
}

const SHAPES: Readonly<Partial<Record<MixedTask['feature'], Shape>>> = {
  'sender-key': (_, draw) => {
    const payload = keyed(draw);
    return { ...inQueue('m-fast'), payload, options: { idempotencyKey: payload.key } };
  },
  'handler-key': (_, draw) => ({ queue: 'm-fast', task: 'm.keyed', payload: keyed(draw) }),
  'follow-up': (task, draw) => ({ ...inQueue('m-slow'), ...withPayload(task, { followUps: followUpsOf(draw) }) }),
  conflict: (task, { i }) => ({
    ...inQueue('m-slow'),
    ends: ['dead:follow-up-refused'],
    ...withPayload(task, {
      followUps: [
        { task: 'm.slow', queue: 'm-slow', key: `child-${i}-1` },
        { task: 'm.fast', queue: 'm-fast', key: `other-${i}`, id: `taken-${i % TAKEN_IDS}` },
      ],
    }),
  }),
  failing: (task) => withPayload(task, { failures: 1 }),
  poison: (task) => ({ ends: ['dead:attempts-exhausted'], ...withPayload(task, { failures: 99 }) }),
  long: (task, { leaseMs }) => ({ ...inQueue('m-slow'), ...withPayload(task, { ms: Math.round(leaseMs * 1.25) }) }),
  killer: (task) => ({ ends: ['dead:crash-limit'], ...withPayload(task, { act: 'sigkill' }) }),
  suspect: (task, { leaseMs }) => withPayload(task, { act: 'sigkill', deaths: 2, ms: 2 * leaseMs }),
  delayed: (_, { random }) => ({ options: { delayMs: random.between(50, 3_000) } }),
  rescheduled: () => ({ options: { delayMs: 3_600_000 } }),
  cancelled: (task, { random, leaseMs }) => ({
    ends: ['completed', 'cancelled'],
    ...(random.next() < 0.5 ? { options: { delayMs: 2_000 } } : {}),
    ...withPayload(task, { ms: random.between(1, leaseMs), heedsSignal: true }),
  }),
  expiring: () => ({ ends: ['completed', 'dead:expired'], options: { ttlMs: 400 } }),
  victim: (task) => ({
    ...inQueue('m-victim'),
    ends: ['completed', 'dead:payload-deleted'],
    ...withPayload(task, { ms: 60, failures: task.id.endsWith('7') ? 1 : 0 }),
  }),
  drained: (task) => ({
    ...inQueue('m-drained'),
    ends: ['completed', 'cancelled', 'gone'],
    ...withPayload(task, { ms: 100 }),
  }),
};
