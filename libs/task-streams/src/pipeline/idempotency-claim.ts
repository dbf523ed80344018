import type { IdempotencyClaim } from '../contracts/idempotency-store.interface.js';
import { UnrecoverableError } from '../task/handler-errors.js';
import { requireIdempotencyKey } from '../task/names.js';
import { hashPayload } from '../task/payload-hash.js';
import type { TaskRun } from './task-run.js';

/**
 * What has to be claimed for a run. Nothing (`undefined`) where the key is the task id and the store is the one the task
 * is kept in: owning the task is the claim then.
 *
 * @throws UnrecoverableError when the handler's key function throws or answers something that is no key.
 */
export function claimOf(run: TaskRun, storeSettlesWithTask: boolean): IdempotencyClaim | undefined {
  const { delivery } = run;
  const { policy, payload, envelope } = run.input;
  if (policy.idempotency === undefined) return undefined;
  const { key: keyFunction, ttlMs } = policy.idempotency;
  const explicitKey = keyFunction ? computeKey(envelope.name, keyFunction, payload) : envelope.idempotencyKey;
  if (explicitKey === undefined && storeSettlesWithTask) return undefined;
  const key = explicitKey ?? envelope.id;
  run.idempotencyKey = key;
  return {
    owner: delivery,
    taskName: envelope.name,
    key,
    payloadHash: delivery.payloadHash ?? hashPayload(envelope.body),
    ttlMs,
    // The script that read the entry claimed the key in the entry, in Redis; a function may have answered another one.
    preclaim: mayUsePreclaim(run, storeSettlesWithTask, key) ? delivery.keyClaim : undefined,
  };
}

function mayUsePreclaim({ delivery, input }: TaskRun, storeSettlesWithTask: boolean, key: string): boolean {
  return storeSettlesWithTask && key === input.envelope.idempotencyKey && delivery.isKeyClaimOld !== true;
}

function computeKey(taskName: string, keyFunction: (payload: unknown) => string, payload: unknown): string {
  try {
    return requireIdempotencyKey(keyFunction(payload));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UnrecoverableError(
      `Task "${taskName}": idempotency.key gave no key for this payload (${why}). Mend the function or the payload, ` +
        'then redrive the task.',
      { cause },
    );
  }
}
