import type { TaskStore } from '../contracts/task-store.interface.js';
import type { Delivery } from '../contracts/work-store.interface.js';
import type { QueueStore } from '../contracts/queue-store.interface.js';
import type { ErrorClassifier } from '../contracts/error-classifier.interface.js';
import type { TaskErrorReporter } from '../contracts/task-error-reporter.interface.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import type { FailureOutcome } from '../policy/decide-outcome.js';
import type { StartLimits } from '../policy/expiry.js';
import type { Random } from '../policy/compute-backoff.js';
import type { TaskEnvelope } from '../task/envelope.js';
import { keyScope } from '../task/names.js';
import type { TaskMeta } from '../task/task-meta.js';
import type {
  CancelOutcome,
  FollowUp,
  KeyCommit,
  LostOutcome,
  ReleaseOutcome,
  SkipReason,
} from '../task/task-outcome.js';
import { FollowUps, type FollowUpEncoder } from './follow-ups.js';
import { LogWriter } from './log-writer.js';
import type { PiecesAround } from './pieces-around.js';
import { ProgressReporter } from './progress-reporter.js';
import type { TaskPolicy } from './resolve-policy.js';

/** What every run needs; the same for all of them. */
export interface RunServices {
  readonly options: ResolvedOptions;
  readonly tasks: Pick<TaskStore, 'reportProgress' | 'appendLog'>;
  readonly queues: Pick<QueueStore, 'canFollow'>;
  readonly classifier: ErrorClassifier;
  readonly random: Random;
  /** Hears of attempts that failed; `undefined` where nobody is bound. */
  readonly reporter?: TaskErrorReporter | undefined;
  readonly encodeFollowUp: FollowUpEncoder;
  /** What stands around the handlers. */
  readonly pieces: PiecesAround<TaskRun>;
  /** Who this process is, in attempt histories. */
  readonly workerName: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** One delivery and how it is to be run. */
export interface RunInput {
  readonly delivery: Delivery;
  readonly envelope: TaskEnvelope;
  readonly meta: TaskMeta;
  /** As it was parsed. */
  readonly payload: unknown;
  readonly policy: TaskPolicy;
  /** Until when its attempts may begin; `undefined` for ever. */
  readonly startLimits: StartLimits | undefined;
}

/** Why a task may be completed. */
export type Proof =
  /** The handler returned; the result is what came out of the pipeline. */
  | { readonly kind: 'returned' }
  /** An earlier result was given back; `undefined` where none was kept. */
  | { readonly kind: 'replayed'; readonly resultJson: string | undefined }
  /** The work is done, or under way, under the same key, and the handler's options say not to run it again. */
  | { readonly kind: 'skipped'; readonly reason: SkipReason }
  /** An interceptor called `ctx.complete(value)`. */
  | { readonly kind: 'declared'; readonly value: unknown };

/** A failed execution and what was decided about it. */
export interface RecordedFailure {
  readonly error: unknown;
  readonly outcome: FailureOutcome | CancelOutcome | ReleaseOutcome | LostOutcome;
  /** True once a dead letter was offered to the sink. */
  readonly isOffered: boolean;
}

/** The pieces that run at most once around one another. */
export type Piece = 'idempotency' | 'retry' | 'completion';

const NO_FOLLOW_UPS: readonly FollowUp[] = Object.freeze([]);

/**
 * The state of one execution that the pieces share and users do not see. Exactly one of {@link TaskRun.proof} and
 * {@link TaskRun.failure} is set at a time: the later one counts.
 *
 * @internal
 */
export class TaskRun {
  /** The newest hand-out: a sweep of this worker's own may have renewed its token. */
  delivery: Delivery;
  /** What the handler is given: each run of it has a copy of its own. */
  payload: unknown;
  /** The attempts so far; grows by retries inside the worker. */
  meta: TaskMeta;
  /** The explicit key, once it is known, else the task id. */
  idempotencyKey: string;
  /** The lock this run holds beside its lease. */
  keyScope: string | undefined;
  /** The done mark to leave when the task completes. */
  keyCommit: KeyCommit | undefined;
  /** False while guards run. */
  handlerReached = false;
  /** When this execution began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** When the current attempt began, in milliseconds since 1970. */
  attemptStartedAt: number;
  /** Whether the reporter has heard of the failure of this attempt. */
  isReported = false;
  /** Once true, the outcome is fixed and nothing that still happens counts. */
  isClosed = false;

  // Made when they are asked for: most handlers never do.
  #followUps: FollowUps | undefined;
  #progress: ProgressReporter | undefined;
  #log: LogWriter | undefined;
  #active: Set<Piece> | undefined;
  #proof: Proof | undefined;
  #failure: RecordedFailure | undefined;
  #isFailedByHand = false;
  #abortReason: Error | undefined;
  #controller: AbortController | undefined;

  constructor(
    readonly input: RunInput,
    readonly services: RunServices,
  ) {
    const { delivery, envelope } = input;
    this.delivery = delivery;
    this.payload = input.payload;
    this.meta = input.meta;
    this.idempotencyKey = envelope.idempotencyKey ?? envelope.id;
    this.startedAt = services.now();
    this.attemptStartedAt = this.startedAt;
    // The read script has locked the key of the entry: it is freed or committed when the task is settled.
    if (delivery.keyClaim?.kind === 'won' && envelope.idempotencyKey !== undefined) {
      this.keyScope = keyScope(envelope.name, envelope.idempotencyKey);
    }
  }

  get followUps(): FollowUps {
    if (this.#followUps) return this.#followUps;
    const { envelope, delivery } = this.input;
    const parent = { id: envelope.id, queue: delivery.queue, enqueuedAt: delivery.enqueuedAt };
    return (this.#followUps = new FollowUps(parent, this.services.encodeFollowUp, this.services.queues));
  }

  /** What was enqueued by this attempt so far. A copy: a handler that goes on must not change what is being written. */
  get followUpItems(): readonly FollowUp[] {
    return this.#followUps ? [...this.#followUps.items] : NO_FOLLOW_UPS;
  }

  get progress(): ProgressReporter {
    return (this.#progress ??= new ProgressReporter(this.services.tasks, () => this.delivery));
  }

  get log(): LogWriter {
    return (this.#log ??= new LogWriter(this.services.tasks, () => this.delivery));
  }

  get proof(): Proof | undefined {
    return this.#proof;
  }

  get failure(): RecordedFailure | undefined {
    return this.#failure;
  }

  /**
   * Says that the work is done. A failure that was recorded before is forgotten. What the handler, or an interceptor, said
   * by hand stands: that it returns then says nothing new.
   */
  prove(proof: Proof): void {
    if (this.isSettledByHand) return;
    this.#proof = proof;
    this.#failure = undefined;
  }

  /** Whether `ctx.complete()`, `release()`, `retry()` or `deadLetter()` was called in this attempt, and holds. */
  get isSettledByHand(): boolean {
    return this.#isFailedByHand || this.#proof?.kind === 'declared';
  }

  /** Whether the attempt was ended by hand in another way than by completing it: no error that follows changes that. */
  get isFailedByHand(): boolean {
    return this.#isFailedByHand;
  }

  /** Ends the attempt by hand, whatever the handler does afterwards. */
  failByHand(failure: RecordedFailure): void {
    this.#isFailedByHand = true;
    this.fail(failure);
  }

  /** Says that the execution failed. A proof is revoked, follow-up tasks are dropped. */
  fail(failure: RecordedFailure): void {
    this.#failure = failure;
    this.#proof = undefined;
    this.#followUps?.clear();
  }

  /** Begins another attempt, or another run of the same one, in this worker. */
  beginAttempt(meta: TaskMeta): void {
    this.meta = meta;
    this.attemptStartedAt = this.services.now();
    // Forgotten, so that an error object that is thrown again is decided about again.
    this.#failure = undefined;
    this.#proof = undefined;
    this.isReported = false;
    // The run before may have changed it.
    this.payload = JSON.parse(this.input.envelope.body);
    this.#followUps?.clear();
  }

  /** Whether the piece may work; false where it is at work already, further out. */
  enter(piece: Piece): boolean {
    this.#active ??= new Set();
    if (this.#active.has(piece)) return false;
    this.#active.add(piece);
    return true;
  }

  leave(piece: Piece): void {
    this.#active?.delete(piece);
  }

  /** Why the handler was told to stop, `undefined` where it was not. */
  get abortReason(): Error | undefined {
    return this.#abortReason;
  }

  /** Made when it is asked for: most handlers never look. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#abortReason && !this.#controller.signal.aborted) this.#controller.abort(this.#abortReason);
    return this.#controller.signal;
  }

  /** Tells the handler to stop. The first reason counts. */
  abort(reason: Error): void {
    this.#abortReason ??= reason;
    this.#controller?.abort(this.#abortReason);
  }

  /** Ends the run: what comes later is ignored. */
  close(): void {
    this.isClosed = true;
    this.#progress?.stop();
    this.#log?.flush();
  }
}
