import { Logger } from '@nestjs/common';
import type { KeyClaim } from '../contracts/work-store.interface.js';
import type { IdempotencyClaim, IdempotencyStore } from '../contracts/idempotency-store.interface.js';
import { DuplicateTaskError, IdempotencyBusyError, IdempotencyConflictError } from '../task/idempotency-errors.js';
import { keyScope } from '../task/names.js';
import { assertNever, type SkipReason } from '../task/task-outcome.js';
import { encodeResult } from './encode-result.js';
import { claimOf } from './idempotency-claim.js';
import type { Next } from './run-piece.js';
import type { TaskRun } from './task-run.js';

const logger = new Logger('TaskIdempotency');

/**
 * Runs what is further in if the key of the task is free, and gives the earlier result back if it is done already. The
 * claim is kept over the attempts inside the worker.
 *
 * @throws IdempotencyBusyError while another task with the key runs, IdempotencyConflictError for another payload,
 *   DuplicateTaskError for a duplicate that the handler refuses.
 */
export function runOnce(run: TaskRun, store: IdempotencyStore, next: Next): Promise<unknown> {
  if (run.input.policy.idempotency === undefined) return next();
  const claim = claimOf(run, store.settlesWithTask);
  return claim === undefined ? next() : runClaimed(run, store, claim, next);
}

async function runClaimed(
  run: TaskRun,
  store: IdempotencyStore,
  claim: IdempotencyClaim,
  next: Next,
): Promise<unknown> {
  const answer: KeyClaim = await store.claim(claim);
  switch (answer.kind) {
    case 'won':
      return store.settlesWithTask ? runSettled(run, claim, next) : runCommitted(run, store, claim, next);
    case 'replay':
      return answerDuplicate(run, claim, answer.resultJson, mayBeOwnWork(run, store));
    case 'busy':
      if (run.input.policy.idempotency?.onInProgress === 'drop') return skip(run, 'duplicate-in-progress');
      throw new IdempotencyBusyError(claim.taskName, claim.key, busyDelayMs(run, answer.retryInMs));
    case 'conflict':
      throw new IdempotencyConflictError(claim.taskName, claim.key);
    default:
      return assertNever(answer);
  }
}

/** @throws DuplicateTaskError where the handler refuses duplicates. */
function answerDuplicate(
  run: TaskRun,
  claim: IdempotencyClaim,
  resultJson: string | undefined,
  isOwnWork: boolean,
): unknown {
  const onDuplicate = isOwnWork ? 'replay' : run.input.policy.idempotency?.onDuplicate;
  if (onDuplicate === 'throw') throw new DuplicateTaskError(claim.taskName, claim.key);
  if (onDuplicate === 'skip') return skip(run, 'duplicate');
  // A store of the user's may answer anything.
  const json = typeof resultJson === 'string' ? resultJson : undefined;
  run.prove({ kind: 'replayed', resultJson: json });
  return parseResult(json);
}

/**
 * Whether the work that is done may be this very task's: a store in another database commits before the task is settled,
 * and a task that was lost in between, or failed after it, is no duplicate of itself.
 */
function mayBeOwnWork(run: TaskRun, store: IdempotencyStore): boolean {
  return !store.settlesWithTask && (run.input.delivery.deliveryCount > 1 || run.meta.failedAttempts > 0);
}

function skip(run: TaskRun, reason: SkipReason): undefined {
  run.prove({ kind: 'skipped', reason });
}

const FIRST_BUSY_DELAY_MS = 250;

/**
 * Waits as long as it has waited already, so that the waits double, and never longer than the lock can last: most holders
 * end long before their lease does.
 */
function busyDelayMs(run: TaskRun, lockMs: number): number {
  const { deferredSince } = run.meta;
  const waitedMs = deferredSince === undefined ? 0 : run.services.now() - deferredSince;
  return Math.min(Math.max(waitedMs, FIRST_BUSY_DELAY_MS), lockMs);
}

/** A result that cannot be read is as good as none: the work is done all the same. */
function parseResult(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : (JSON.parse(json) as unknown);
  } catch {
    return undefined;
  }
}

/** The done mark is part of the outcome: the script that settles the task writes it, or frees the lock. */
function runSettled(run: TaskRun, claim: IdempotencyClaim, next: Next): Promise<unknown> {
  run.keyScope = keyScope(claim.taskName, claim.key);
  run.keyCommit = { scope: run.keyScope, ttlMs: claim.ttlMs, hash: claim.payloadHash };
  return next();
}

/** The done mark is in another database: it is there before the task counts as done. */
async function runCommitted(
  run: TaskRun,
  store: IdempotencyStore,
  claim: IdempotencyClaim,
  next: Next,
): Promise<unknown> {
  try {
    const value = await next();
    if (run.isFailedByHand) {
      await releaseQuietly(store, claim);
      return value;
    }
    const { proof } = run;
    const result = encodeResult(proof?.kind === 'declared' ? proof.value : value, run.services.options.retention);
    await store.commit(claim, result.kind === 'stored' ? result.json : undefined);
    return value;
  } catch (error) {
    await releaseQuietly(store, claim);
    throw error;
  }
}

/** The error of the handler is the one to see, not that of the store. */
async function releaseQuietly(store: IdempotencyStore, claim: IdempotencyClaim): Promise<void> {
  try {
    await store.release(claim);
  } catch (error) {
    logger.error(
      `Task "${claim.taskName}": the idempotency key could not be released; it stays busy until it expires`,
      error,
    );
  }
}
