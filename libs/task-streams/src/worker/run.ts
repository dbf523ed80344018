import type { RunningTask } from '../contracts/task-executor.interface.js';
import type { Delivery } from '../contracts/work-store.interface.js';
import type { CancelRequest } from '../task/cancel-request.js';
import type { Trial } from '../task/delivery-count.js';
import { claimOf } from '../task/token.js';
import { RUN_STATES, stepOf, type ActionAt, type RunEvent, type RunState, type StateRow } from './run-states.js';

/** One delivery that this worker holds. Where it is in its life says {@link RUN_STATES}. Times are of a monotonic clock. */
export class Run {
  /** Its handler, once it was started. */
  task: RunningTask | undefined = undefined;
  /** The trial that a suspect was begun with; `undefined` for other tasks. */
  begunAs: Trial | undefined = undefined;
  /** Somebody asked for its end. */
  cancel: CancelRequest | undefined = undefined;
  #state: RunState = 'waiting';
  #row: StateRow = RUN_STATES.waiting;
  #startedAt = 0;
  #endedAt = 0;

  /**
   * @param delivery With the newest token: a sweep that finds our own entry renews it.
   * @param leasedAt From when on Redis surely counted its lease: the last delivery or renewal that landed was sent then.
   */
  constructor(
    public delivery: Delivery,
    public leasedAt: number,
  ) {}

  get state(): RunState {
    return this.#state;
  }

  /** It has one of the slots of its queue. */
  get hasSlot(): boolean {
    return this.#row.hasSlot;
  }

  /** Its handler runs, and this worker waits for it. */
  get hasHandler(): boolean {
    return this.#row.hasHandler;
  }

  /** When the attempt is over by timeout; Infinity for never. */
  get deadline(): number {
    return this.#startedAt + (this.task?.timeoutMs ?? Infinity);
  }

  /** How long its attempt took, in milliseconds; 0 for one that was never started. */
  get durationMs(): number {
    return this.#endedAt - this.#startedAt;
  }

  /** Moves it. Answers what is to be done; `undefined` where the event comes too late to change anything. */
  take<E extends RunEvent>(event: E): ActionAt<E> | undefined {
    const step = stepOf(this.#row, event);
    if (step === undefined) return undefined;
    const next = RUN_STATES[step.to];
    if (this.#row.hasHandler && !next.hasHandler) this.#endedAt = performance.now();
    this.#state = step.to;
    this.#row = next;
    return step.do;
  }

  /** Its handler was called. */
  begin(task: RunningTask): void {
    this.task = task;
    this.#startedAt = performance.now();
  }

  /**
   * A new token, not a new delivery. An older one, in an answer that was overtaken by one on another connection, is no longer
   * what Redis compares with.
   */
  adopt(delivery: Delivery, leasedAt: number): void {
    if (claimOf(delivery.token) < claimOf(this.delivery.token)) return;
    this.leasedAt = leasedAt;
    this.delivery = { ...delivery, deliveryCount: this.delivery.deliveryCount, trial: this.delivery.trial };
    this.task?.adopt(this.delivery);
  }

  /** One that has to wait in its worker claims its key again when it starts. */
  doubtKeyClaim(): void {
    if (this.delivery.keyClaim) this.delivery = { ...this.delivery, isKeyClaimOld: true };
  }
}
