import type { KeyClaim, Ownership } from './work-store.interface.js';

/** The key of a task and what it is claimed for. */
export interface IdempotencyClaim {
  readonly owner: Ownership;
  readonly taskName: string;
  readonly key: string;
  /** A hash of the payload: another payload under the same key is a conflict. */
  readonly payloadHash: string;
  /** Milliseconds a done mark is kept. */
  readonly ttlMs: number;
  /** The claim that came with the entry, for a store that claims while reading; the store may answer with it. */
  readonly preclaim: KeyClaim | undefined;
}

/**
 * Where idempotency keys are kept. The default keeps them in Redis beside the tasks; replace it with one that writes to
 * your own database, and the effect and the done mark share a transaction. Bind your own under the token
 * `IDEMPOTENCY_STORE`.
 *
 * @publicApi
 */
export interface IdempotencyStore {
  /**
   * True when the done mark is written by the script that settles the task, so that `commit` and `release` are not
   * called. A store in another database answers false: `commit` is awaited before the task counts as done.
   */
  readonly settlesWithTask: boolean;
  /** Claims the key: `won` to run, `replay` to answer with the earlier result, `busy` to come back, `conflict`. */
  claim(claim: IdempotencyClaim): Promise<KeyClaim>;
  /** Marks the key as done, with the result to replay as JSON (`undefined` where there is none). */
  commit(claim: IdempotencyClaim, resultJson: string | undefined): Promise<void>;
  /** Frees the key after a failed attempt, so that the retry can claim it. */
  release(claim: IdempotencyClaim): Promise<void>;
}
