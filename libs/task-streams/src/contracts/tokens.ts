/** The resolved options of the module. */
export const RESOLVED_OPTIONS = Symbol.for('nestjs-task-streams:options');
/** The `Broker`. */
export const BROKER = Symbol.for('nestjs-task-streams:broker');
/** The `IdempotencyStore`; bind your own to replace it. */
export const IDEMPOTENCY_STORE = Symbol.for('nestjs-task-streams:idempotency-store');
/** The `DeadLetterSink`; bind your own to replace it. */
export const DEAD_LETTER_SINK = Symbol.for('nestjs-task-streams:dead-letter-sink');
/** The `ErrorClassifier`; bind your own to replace it. */
export const ERROR_CLASSIFIER = Symbol.for('nestjs-task-streams:error-classifier');
/** The `PayloadEncoder`, for payloads that somebody mended. */
export const PAYLOAD_ENCODER = Symbol.for('nestjs-task-streams:payload-encoder');
/** A function that answers a random number from 0 to 1, for jitter. */
export const RANDOM = Symbol.for('nestjs-task-streams:random');
