import type { KeyClaim } from '../contracts/work-store.interface.js';
import type { IdempotencyClaim, IdempotencyStore } from '../contracts/idempotency-store.interface.js';
import { keyScope } from '../task/names.js';
import { LeaseLostError } from '../task/worker-errors.js';
import { decodeKeyClaim } from './deliveries/decode-delivery.js';
import type { RedisSession } from './connection/redis-session.js';

/**
 * Keeps idempotency keys beside the tasks. The done mark is written by the script that settles the task, so there is no
 * moment in which the one is true and the other is not.
 */
export class RedisIdempotencyStore implements IdempotencyStore {
  readonly settlesWithTask = true;

  constructor(private readonly session: RedisSession) {}

  /** @throws LeaseLostError when the task is no longer this worker's. */
  async claim(claim: IdempotencyClaim): Promise<KeyClaim> {
    if (claim.preclaim) return claim.preclaim;
    const { owner, taskName, key, payloadHash } = claim;
    const scope = keyScope(taskName, key);
    const args = [owner.entryId, owner.taskId, owner.token, scope, payloadHash];
    const [kind, detail] = (await this.session.run('claim-key', owner.queue, args)) as [string, string | number];
    const claimed = decodeKeyClaim(kind, detail ?? '');
    if (!claimed) throw new LeaseLostError(owner.taskId);
    return claimed;
  }

  /** Nothing to do: the settlement writes the mark. */
  async commit(): Promise<void> {}

  /** Nothing to do: the settlement frees the key. */
  async release(): Promise<void> {}
}
