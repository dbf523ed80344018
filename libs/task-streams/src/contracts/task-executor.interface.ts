import type { Delivery } from './work-store.interface.js';
import type { TaskOutcome } from '../task/task-outcome.js';

/** One execution as the worker sees it: what it can ask of the running handler. */
export interface RunningTask {
  /** Tells the handler to stop: `ctx.signal` aborts with the reason. */
  abort(reason: Error): void;
  /** The same entry was handed to this worker again by its own sweep: what it writes from now on shows the new token. */
  adopt(delivery: Delivery): void;
  /** The lock this task holds beside its lease, to be renewed with it. */
  readonly keyScope: string | undefined;
  /** Milliseconds after which the attempt counts as failed; `undefined` for never. */
  readonly timeoutMs: number | undefined;
  /** What it came to. Never rejects. */
  readonly outcome: Promise<TaskOutcome>;
  /** What a timeout comes to: the attempt failed by policy. */
  timeOut(): TaskOutcome;
  /** What a completion comes to whose follow-ups can never be added, and why they cannot. Never rejects. */
  refuseFollowUps(why: string): Promise<Exclude<TaskOutcome, { kind: 'lost' }>>;
}

/** Runs one delivery to its outcome. The worker knows no Nest; this is the port to it. */
export interface TaskExecutor {
  execute(delivery: Delivery): RunningTask;
}
