// Module and workers
export { InjectTaskClient } from './module/inject-task-client.decorator.js';
export type { TaskDeclaration } from './module/feature-module.js';
export type {
  TaskStreamsAsyncOptions,
  TaskStreamsModuleExtras,
  TaskStreamsOptionsFactory,
} from './module/module-options.js';
export { getTaskClientToken } from './module/task-client.tokens.js';
export { TaskStreamsClientProxy } from './module/task-streams-client-proxy.js';
export { TaskStreamsModule } from './module/task-streams.module.js';
export { RedisStreamsServer } from './transport/redis-streams.server.js';
export type { ServerStatus, WorkerEventListeners } from './transport/redis-streams.server.js';
export { TaskWorkers } from './transport/task-workers.js';
export { REDIS_STREAMS } from './handlers/transport-id.js';

// Handlers
export { DeadLetter, Idempotent, Retry } from './handlers/policy.decorators.js';
export { DeadLetterHandler } from './dead-letters/dead-letter-handler.decorator.js';
export type {
  DeadLetterContext,
  DeadLetterHandlerOptions,
  DeadLetterInstruction,
} from './dead-letters/dead-letter-handler.decorator.js';
export { TaskHandler } from './handlers/task-handler.decorator.js';
export { Attempt, TaskId, TaskSignal } from './handlers/task-params.decorators.js';
export { DeadLetterFilter } from './pipeline/dead-letter.filter.js';
export { DefaultErrorClassifier } from './pipeline/default-error-classifier.js';
export { IdempotencyInterceptor } from './pipeline/idempotency.interceptor.js';
export { RetryInterceptor } from './pipeline/retry.interceptor.js';
export type { FollowUpOptions } from './pipeline/follow-ups.js';
export { TaskContext } from './pipeline/task-context.js';
export type { FollowUpReceipt } from './pipeline/task-context.js';

// Sending and looking after tasks
export { AuditTrail } from './operate/audit-trail.js';
export type { ActionOptions } from './operate/check-action.js';
export { DeadLetterService } from './dead-letters/dead-letter.service.js';
export type {
  DiscardOptions,
  ForgetIdsOptions,
  ListDeadLettersOptions,
  PurgeOptions,
  RedriveManyOptions,
  RedriveOptions,
} from './dead-letters/dead-letter-options.js';
export type { DeadLetterQuery, DeadLetterSelection } from './dead-letters/dead-letter-query.js';
export type { ImportReport } from './dead-letters/import-letters.js';
export type {
  LetterActionOptions,
  LetterActionReport,
  LetterProblem,
  LetterRefusal,
} from './dead-letters/letter-action.js';
export type { PayloadPatch, RedriveRules } from './dead-letters/plan-redrive.js';
export type { RedrivePreview } from './dead-letters/preview-counts.js';
export type { PreviewProgress, PreviewWatch } from './dead-letters/preview-redrive.js';
export type { EnqueueOptions, TaskReceipt, TaskReceiptOf } from './producer/enqueue-options.js';
export { TaskClient } from './producer/task-client.js';
export type { TaskToEnqueue } from './producer/task-client.js';
export type { FollowOptions, RescheduleOptions, TaskPage } from './producer/task-follower.js';
export type { ListableState, ListTasksOptions } from './producer/check-list-options.js';
export { TaskFollower } from './producer/task-follower.js';
export type { TaskSnapshot } from './producer/task-snapshot.js';
export type { TaskStreamsClientProxyOptions } from './producer/task-streams-client-proxy.js';

// Looking after queues
export { QueueControl } from './operate/queue-control.js';
export { QueueInspector } from './operate/queue-inspector.js';
export type { QueueOverview } from './operate/queue-inspector.js';
export type {
  AuditPage,
  AuditRecord,
  ForgetIdReply,
  ForgetKeyReply,
  WorkerHeartbeat,
  WorkerInfo,
} from './contracts/queue-store.interface.js';
export type { DrainOptions, PurgeQueueOptions, RemovalOptions, RemovedCounts } from './operate/queue-control.js';

// Options
export type {
  DeadLetterOptions,
  IdempotencyOptions,
  OnDuplicate,
  OnExpired,
  OnInProgress,
  RetryOptions,
  TaskHandlerOptions,
} from './options/handler-options.js';
export type {
  ConnectionOptions,
  ConnectionRole,
  LimitOptions,
  QueueOptions,
  RedisClientLike,
  RetentionOptions,
  TaskStreamsMode,
  TaskStreamsOptions,
  TimingOptions,
} from './options/task-streams-options.js';
export type { ErrorMatcher } from './policy/retry-policy.js';
export type { Backoff, BackoffCurve, BackoffFunction } from './task/backoff.js';

// Tasks
export type {
  CancelReply,
  RescheduleReply,
  TaskChange,
  TaskChangeKind,
  TaskLogLine,
} from './contracts/task-store.interface.js';
export type { ConfirmedDurability, Durability, ReplicaDurability } from './contracts/inbox-store.interface.js';
export type { DeadLetterPage, DeadLetterTotals, FailureGroup } from './contracts/dead-letter-store.interface.js';
export { DEAD_LETTER_REASONS } from './task/dead-letter.js';
export type { DeadLetterReason } from './task/dead-letter.js';
export type { CancelRequest } from './task/cancel-request.js';
export type { WhoAndWhy } from './task/who-and-why.js';
export type { TaskHeaders, TaskOptions } from './task/envelope.js';
export type { ErrorDescription } from './task/error-description.js';
export { defineTask } from './task/task-contract.js';
export type { PayloadClass, TaskContract } from './task/task-contract.js';
export type { AttemptRecord, RedriveRecord } from './task/task-meta.js';
export type { TaskAddress, TaskRef, TaskRefOf } from './task/task-ref.js';
export { computeBackoff } from './policy/compute-backoff.js';
export { isFinalState, TASK_STATES } from './task/task-state.js';
export type { TaskState } from './task/task-state.js';

// Watching
export { TASK_ERROR_REPORTER } from './contracts/task-error-reporter.interface.js';
export type { FailedAttempt, TaskErrorReporter } from './contracts/task-error-reporter.interface.js';
export type { EnqueueFailure } from './watch/producer-observer.interface.js';
export type { TaskEvent, TaskEventKind, TaskEventOf, TaskEvents } from './watch/task-event.interface.js';
export { TASK_TRACING } from './contracts/task-tracing.interface.js';
export type {
  ProcessedEnd,
  ProcessedTask,
  RedrivenTask,
  SentTask,
  TaskTracing,
  TraceIds,
} from './contracts/task-tracing.interface.js';
export { currentTask, taskLogFields } from './pipeline/current-task.js';
export type { TaskLogFields } from './pipeline/current-task.js';
export { OnTaskEvent } from './handlers/on-task-event.decorator.js';
export type { TaskEventFilter } from './handlers/on-task-event.decorator.js';

// Parts to replace, and what they are told
export type { Delivery, KeyClaim, Ownership, SettleReply } from './contracts/work-store.interface.js';
export { ACTION_LOG } from './operate/action-log.interface.js';
export type { ActionLog, ManualAction } from './operate/action-log.interface.js';
export type { DeadLetterSink } from './contracts/dead-letter-sink.interface.js';
export type { ErrorClassifier } from './contracts/error-classifier.interface.js';
export type { IdempotencyClaim, IdempotencyStore } from './contracts/idempotency-store.interface.js';
export { DEAD_LETTER_SINK, ERROR_CLASSIFIER, IDEMPOTENCY_STORE, RANDOM } from './contracts/tokens.js';
export type { WorkerEvent } from './watch/worker-observer.interface.js';
export type { ErrorClass, ErrorOrigin } from './task/error-class.js';
export type { TaskOutcome } from './task/task-outcome.js';

// Errors
export { RedisUnavailableError } from './task/redis-unavailable.error.js';
export {
  DuplicateHandlerError,
  InvalidNameError,
  InvalidOptionError,
  UnsuitableServerError,
  UsageError,
} from './task/config-errors.js';
export { DeadLetterNotFoundError, DeadLetterUnreadableError, RedriveRefusedError } from './task/dead-letter-errors.js';
export { EnqueueManyError } from './task/enqueue-many-error.js';
export type { EnqueueManyItem, EnqueueManyOutcome } from './task/enqueue-many-error.js';
export { DeadLetterError, RetryLaterError, RetryRequestedError, UnrecoverableError } from './task/handler-errors.js';
export { DuplicateTaskError, IdempotencyBusyError, IdempotencyConflictError } from './task/idempotency-errors.js';
export { TaskNotCompletedError } from './task/pipeline-errors.js';
export {
  DurabilityNotConfirmedError,
  DurabilityUnavailableError,
  EnqueueRefusedError,
  EnqueueUncertainError,
  PayloadInvalidError,
  PayloadNotSerializableError,
  PayloadTooLargeError,
  QueueFullError,
  QueueUnavailableError,
  TaskConflictError,
} from './task/producer-errors.js';
export { ResultOmittedError, ResultTimeoutError, TaskFailedError, TaskNotFoundError } from './task/result-errors.js';
export { TaskCancelledError } from './task/task-cancelled.error.js';
export { TaskStreamsError } from './task/task-streams.error.js';
export { LeaseLostError, LeaseUncertainError, TaskTimeoutError, WorkerStoppingError } from './task/worker-errors.js';
