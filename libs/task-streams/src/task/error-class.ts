/** What kind of failure an error is: whether trying again can help, and the reason to write where it cannot. */
export type ErrorClass =
  | { readonly kind: 'retryable' }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'defer'; readonly delayMs: number }
  | {
      readonly kind: 'final';
      readonly reason: 'non-retryable' | 'validation' | 'denied' | 'idempotency-conflict' | 'duplicate' | 'requested';
      /** Kept in the dead letter: field errors, or what the handler added. */
      readonly details?: unknown;
    };

/** When the error came out. */
export interface ErrorOrigin {
  readonly taskName: string;
  /** False while guards run: a denial from there is final. */
  readonly handlerReached: boolean;
}
