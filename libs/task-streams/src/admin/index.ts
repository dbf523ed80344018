export { openTaskStreams } from './open-task-streams.js';
export type { OpenTaskStreamsOptions, TaskStreamsAdmin } from './open-task-streams.js';
export type { ServerReport } from '../contracts/server-store.interface.js';
export { redact, REDACTED_BY_DEFAULT } from '../policy/redact.js';
export { describePersistence, persistenceAdvice } from '../policy/server-advice.js';
export type { ServerExam, ServerFinding } from '../redis/server/examine-server.js';

// What a program meets at run time, so that it need not load the rest of the library.
export { InvalidNameError, InvalidOptionError, UnsuitableServerError, UsageError } from '../task/config-errors.js';
export { DEAD_LETTER_REASONS } from '../task/dead-letter.js';
export { DeadLetterNotFoundError } from '../task/dead-letter-errors.js';
export { PayloadNotSerializableError, PayloadTooLargeError, QueueUnavailableError } from '../task/producer-errors.js';
export { withoutCredentials } from '../task/secret-text.js';
export { RedisUnavailableError } from '../task/redis-unavailable.error.js';
