import type { Bench } from './bench.js';
import type { ScenarioFacts } from './scenario-facts.js';

/** A scenario that can be run. */
export interface Scenario extends ScenarioFacts {
  run(bench: Bench): Promise<void>;
}

/** What came of a scenario. */
export interface ScenarioReport {
  readonly id: string;
  readonly title: string;
  readonly seed: number;
  readonly scale: number;
  readonly tasks: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly lost: number;
  /** Gone as well, as the scenario had to expect; absent in files of older runs. */
  readonly forgiven?: number;
  /** Business keys with more than one effect: under a unique key where the scenario has one, else raw. */
  readonly doubled: number;
  readonly rawDoubled: number;
  readonly stale: number;
  readonly recovery: { readonly count: number; readonly p50: number; readonly p99: number; readonly max: number };
  readonly counts: Readonly<Record<string, number>>;
  readonly notes: readonly string[];
  readonly violations: readonly string[];
  readonly seconds: number;
  readonly passed: boolean;
  readonly skipped?: string;
}
