import type { Scenario } from '../harness/scenario.js';
import { SERVER_FAULTS, WORKER_FAULTS } from '../mixed/faults.js';
import { FEATURES } from '../mixed/tasks.js';
import { runMixed, type MixedKind } from '../mixed/run-mixed.js';

const MINUTES = 60_000;

const mixed = (id: string, title: string, kind: MixedKind, isVariant = false): Scenario => ({
  id,
  title,
  tasks: 120_000,
  faults: 60,
  isVariant,
  timeoutMs: 20 * MINUTES,
  kinds: { faults: kind.faults, features: FEATURES },
  run: (bench) => runMixed(bench, kind),
});

export const m1 = mixed('M1', 'everything mixed, workers and network', { faults: WORKER_FAULTS }, true);

/** Everything at once, by a seed: what is only seen where one thing meets another. */
export const MIXED: readonly Scenario[] = [
  m1,
  mixed('M2', 'everything mixed, Redis too', { faults: [...WORKER_FAULTS, ...SERVER_FAULTS] }),
  mixed('M3', 'everything mixed, workers of different options', { faults: WORKER_FAULTS, isMixedFleet: true }),
];
