import type { Scenario } from '../harness/scenario.js';
import { clusterGround } from '../mixed/cluster-ground.js';
import { SERVER_FAULTS, WORKER_FAULTS } from '../mixed/faults.js';
import { singleGround } from '../mixed/ground.js';
import { runMixed, type MixedKind } from '../mixed/run-mixed.js';
import { sentinelGround } from '../mixed/sentinel-ground.js';
import { FEATURES } from '../mixed/tasks.js';

const MINUTES = 60_000;

const mixed = (id: string, title: string, kind: MixedKind, isVariant = false): Scenario => ({
  id,
  title: `everything mixed, ${title}`,
  tasks: 120_000,
  faults: 60,
  isVariant,
  timeoutMs: 20 * MINUTES,
  kinds: { faults: kind.faults, features: kind.features ?? FEATURES },
  run: (bench) => runMixed(bench, kind),
});

export const m1 = mixed('M1', 'workers and network', { ground: singleGround, faults: WORKER_FAULTS }, true);

export const m4 = mixed('M4', 'Redis with Sentinel', {
  ground: sentinelGround,
  faults: [...WORKER_FAULTS, 'sentinel-failover', 'primary-sigkill'],
  smallFaults: ['primary-sigkill', 'sentinel-failover', 'worker-sigkill'],
});

/** Without what ends a process, or takes tasks away: what is left may run once only. */
const HARMLESS = FEATURES.filter((feature) => !['killer', 'suspect', 'victim', 'drained'].includes(feature));

/** Everything at once, by a seed: what is only seen where one thing meets another. */
export const MIXED: readonly Scenario[] = [
  m1,
  mixed('M2', 'Redis too, and its clock', {
    ground: (bench) => singleGround(bench, { hasClock: true }),
    faults: [...WORKER_FAULTS, ...SERVER_FAULTS, 'redis-clock-ahead', 'redis-clock-back'],
    smallFaults: ['redis-clock-ahead', 'redis-down', 'owners-deleted', 'redis-clock-back', 'client-kill'],
    hasSmallKillers: true,
  }),
  mixed('M3', 'workers of different options', { ground: singleGround, faults: WORKER_FAULTS, isMixedFleet: true }),
  m4,
  mixed('M5', 'Redis Cluster', {
    ground: clusterGround,
    faults: [...WORKER_FAULTS, 'master-sigkill', 'slot-moved'],
    smallFaults: ['master-sigkill', 'slot-moved', 'connections-cut'],
    // Whose follow-ups ask for an id in another queue.
    features: FEATURES.filter((feature) => feature !== 'conflict'),
  }),
  mixed(
    'M6',
    'Redis paused for longer than a lease',
    { ground: singleGround, faults: ['redis-sigstop'], features: HARMLESS, isRunningOnce: true },
    true,
  ),
];
