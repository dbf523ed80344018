/** What a scenario expects beside what always holds. */
export interface Expectations {
  /** Which tasks may, and must, become dead letters. Default: none. `any` where the scenario looks for itself. */
  readonly dead?: ReadonlySet<string> | 'any';
  /** The only reasons they may have. */
  readonly deadReasons?: readonly string[];
  /** A dead letter must be of a task that nobody ran but workers that were killed. */
  readonly diesOfKillsOnly?: boolean;
  /** Tasks that were accepted before this time may be gone, because Redis lost them. */
  readonly lossForgivenBefore?: number;
  /** Tasks that were deleted by hand while they waited or ran. */
  readonly lossForgiven?: ReadonlySet<string>;
  /** Keys were deleted by hand, so that others are left over. */
  readonly areLeftoversMeant?: boolean;
  /** Dead letters were sent again with another payload. */
  readonly areBodiesMended?: boolean;
  /** The most attempts and deliveries a task may take. Default 3 and 4: one more than the crash limit. */
  readonly attempts?: number;
  readonly handouts?: number;
  /** Effects go to the store with the unique key. */
  readonly hasUniqueEffects?: boolean;
  /** The most times a business key may have its raw effect; undefined where faults make repeats. */
  readonly rawEffects?: number;
  /** The most business keys that may have their raw effect more than once. */
  readonly mostRawDoubled?: number;
  /** As many business keys have their raw effect twice as workers killed themselves. */
  readonly doubledEqualsKills?: boolean;
  /** Redis forgot settlements it had answered: the same entry may be settled again. */
  readonly isRewound?: boolean;
  /** The faults make owners that have lost their task without knowing; where none was seen, the run has shown nothing. */
  readonly makesZombies?: boolean;
  /** The most milliseconds of the recovery times' p99. */
  readonly recoveryP99Ms?: number;
  /** The most milliseconds between the receipt of a task and the start of its first run. */
  readonly maxStartDelayMs?: number;
  /** How long after it was sent a task may start at the earliest, in milliseconds. */
  readonly earliestStartMs?: (id: string) => number;
  /** The largest share of second attempts whose wait falls into one bucket of so many milliseconds. */
  readonly mostRetriesInBucket?: { readonly bucketMs: number; readonly share: number };
}
