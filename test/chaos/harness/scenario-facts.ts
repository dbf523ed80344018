import type { ControlName } from '../controls/control-name.js';

/** One way to hurt the system, and what must hold all the same. */
export interface ScenarioFacts {
  /** As in `--scenario`: `F1`, or `control-no-fence`. */
  readonly id: string;
  readonly title: string;
  /** Tasks and faults at scale 1. */
  readonly tasks: number;
  readonly faults: number;
  /** Much like another one: left out where only a short look is wanted. */
  readonly isVariant?: boolean;
  /** The broken build a negative control runs. */
  readonly control?: ControlName;
  /** The invariant that the checker must find violated; anything else is a failure of the harness. */
  readonly mustFail?: string;
  /** What a mixed run is made of: one that fails is made smaller by leaving out some of it. */
  readonly kinds?: { readonly faults: readonly string[]; readonly features: readonly string[] };
  /** Milliseconds after which the scenario is given up; 15 minutes unless told. */
  readonly timeoutMs?: number;
}
