import type { TaskStreamsOptions } from 'nestjs-task-streams';
import type { WorkerSettings } from '../worker/settings.js';
import type { Guardian } from './guardian.js';
import type { WorkerPlace } from './worker-process.js';

/** What a run is made with. */
export interface RunContext {
  readonly buildDir: string;
  readonly guardian: Guardian;
  readonly scale: number;
  readonly seed: number;
  /** Kinds of faults and tasks that a mixed run is made of. Default: all. */
  readonly only?: ReadonlySet<string> | undefined;
  readonly print: (line: string) => void;
}

/** What the workers of a scenario are, beside the defaults. */
export interface FleetOptions {
  readonly count?: number;
  readonly options?: TaskStreamsOptions;
  /** The address each slot connects to. Default: Redis itself. */
  readonly url?: (slot: number) => string;
  readonly settings?: Partial<WorkerSettings>;
  readonly place?: (slot: number) => Partial<WorkerPlace>;
  /** The tasks end their workers, which is no fault of theirs. */
  readonly areEndsMeant?: boolean;
  /** A small run shows as much with one worker. */
  readonly isOneEnough?: boolean;
}
