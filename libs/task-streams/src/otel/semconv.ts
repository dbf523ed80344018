/**
 * The names of the messaging conventions of OpenTelemetry 1.45, copied because they are not stable: a library that
 * imported them would change what it emits with a minor release of another package.
 */
export const ATTR = {
  system: 'messaging.system.name',
  operationName: 'messaging.operation.name',
  operationType: 'messaging.operation.type',
  destination: 'messaging.destination.name',
  group: 'messaging.consumer.group.name',
  clientId: 'messaging.client.id',
  messageId: 'messaging.message.id',
  bodySize: 'messaging.message.body.size',
  batchCount: 'messaging.batch.message_count',
  entryId: 'messaging.redis.stream.entry_id',
  deliveryCount: 'messaging.redis.delivery_count',
  errorType: 'error.type',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  task: 'task_streams.task.name',
  attempt: 'task_streams.attempt',
  outcome: 'task_streams.outcome',
  isReplay: 'task_streams.is_replay',
  reason: 'task_streams.dead_letter.reason',
  delayMs: 'task_streams.next_delay_ms',
} as const;

/** What older conventions called the same; beside the new names with `OTEL_SEMCONV_STABILITY_OPT_IN=messaging/dup`. */
export const OLD_ATTR = { system: 'messaging.system', operation: 'messaging.operation' } as const;

export const SYSTEM = 'redis';
/** The one group of every queue. */
export const GROUP = 'workers';

export const METRIC = {
  sent: 'messaging.client.sent.messages',
  consumed: 'messaging.client.consumed.messages',
  operationDuration: 'messaging.client.operation.duration',
  processDuration: 'messaging.process.duration',
} as const;

/** In seconds. */
export const DURATION_BOUNDARIES: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];

/** Whether the old names are wanted beside the new ones. */
export function emitsOldNames(environment: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return (environment['OTEL_SEMCONV_STABILITY_OPT_IN'] ?? '')
    .split(',')
    .some((entry) => entry.trim() === 'messaging/dup');
}

/** What our operations are called, and of which type they are. */
export type Operation =
  | { readonly type: 'send'; readonly name: 'send' | 'redrive' }
  | { readonly type: 'create'; readonly name: 'create' }
  | { readonly type: 'process'; readonly name: 'process' }
  | {
      readonly type: 'settle';
      readonly name: 'ack' | 'retry' | 'defer' | 'dead_letter' | 'expire' | 'cancel' | 'release';
    };
