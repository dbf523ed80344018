import type { Delivery } from '../contracts/work-store.interface.js';
import type { CancelRequest } from '../task/cancel-request.js';
import type { Trial } from '../task/delivery-count.js';
import type { RunningTask } from '../contracts/task-executor.interface.js';

/**
 * One delivery this worker holds. `buffered`: not started, a slot is missing. `running`: its handler runs.
 * `settling`: the handler ended and Redis is told. `ended`: it is no longer ours to settle.
 */
export interface Run {
  /** The delivery, with the newest token: a sweep that finds our own entry renews it. */
  delivery: Delivery;
  state: 'buffered' | 'running' | 'settling' | 'ended';
  task: RunningTask | undefined;
  /** The trial that a suspect was begun with; `undefined` for other tasks. */
  begunAs: Trial | undefined;
  /** From when on Redis surely counted its lease: the last hand-out or renewal that landed was sent then. */
  leasedAt: number;
  /** The handler was told that the task may no longer be ours. */
  isDoubted: boolean;
  /** When the handler was started, by a monotonic clock. */
  startedAt: number;
  /** When the attempt was over, by the same clock. */
  endedAt: number;
  /** When the attempt is over by timeout, by the same clock; Infinity for never. */
  deadline: number;
  /** Somebody asked for its end. */
  cancel: CancelRequest | undefined;
  /** The worker is stopping: whatever is not done is handed back. */
  isStopping: boolean;
}

export function newRun(delivery: Delivery, leasedAt: number): Run {
  return {
    delivery,
    state: 'buffered',
    task: undefined,
    begunAs: undefined,
    leasedAt,
    isDoubted: false,
    startedAt: 0,
    endedAt: 0,
    deadline: Infinity,
    cancel: undefined,
    isStopping: false,
  };
}

/** A run that waits in its worker claims its key again when it starts. */
export function doubtKeyClaim(run: Run | undefined): void {
  if (run?.state === 'buffered' && run.delivery.keyClaim) run.delivery = { ...run.delivery, isKeyClaimOld: true };
}
