import type { Delivery } from '../contracts/broker.interface.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { decodeEnvelope } from '../task/decode-envelope.js';
import type { DeadLetterReason } from '../task/dead-letter.js';
import type { TaskEnvelope } from '../task/envelope.js';
import { FRESH_META, type TaskMeta } from '../task/task-meta.js';
import { decodePayload } from './decode-payload.js';
import type { HandlerRegistry, RegisteredHandler } from './handler-registry.js';

/** What a delivery turns out to be. */
export type ReadDelivery =
  | {
      readonly kind: 'runnable';
      readonly envelope: TaskEnvelope;
      readonly meta: TaskMeta;
      readonly payload: unknown;
      readonly handler: RegisteredHandler;
    }
  | {
      readonly kind: 'unrunnable';
      readonly envelope: TaskEnvelope | undefined;
      readonly meta: TaskMeta;
      readonly reason: DeadLetterReason;
      readonly detail: string;
      /** True where another worker may know it. */
      readonly mayBeKnownElsewhere: boolean;
    };

/** Reads a delivery as far as it can be trusted, the cheapest look first. Never throws. */
export function readDelivery(delivery: Delivery, options: ResolvedOptions, registry: HandlerRegistry): ReadDelivery {
  // Before anything is parsed: parsing may be what kills the process.
  if (delivery.deliveryCount > options.crashLimit) {
    const detail = `handed out ${delivery.deliveryCount} times without a settlement; the crash limit is ${options.crashLimit}`;
    return unrunnable('crash-limit', detail);
  }
  const entry = decodeEnvelope(delivery.fields, options.limits.maxHeaders);
  if (entry.kind === 'malformed') {
    return unrunnable(entry.reason, entry.detail, entry.meta, undefined, entry.reason === 'unsupported-version');
  }
  const { envelope, meta } = entry;
  const handler = registry.find(delivery.queue, envelope.name);
  if (handler === undefined) {
    const detail = `no handler for task "${envelope.name}" of queue "${delivery.queue}" in this worker`;
    return unrunnable('unknown-task', detail, meta, envelope, true);
  }
  const payload = decodePayload(envelope.body, options.limits);
  if (payload.kind === 'malformed') return unrunnable(payload.reason, payload.detail, meta, envelope);
  return { kind: 'runnable', envelope, meta, payload: payload.value, handler };
}

function unrunnable(
  reason: DeadLetterReason,
  detail: string,
  meta: TaskMeta = FRESH_META,
  envelope?: TaskEnvelope,
  mayBeKnownElsewhere = false,
): ReadDelivery {
  return { kind: 'unrunnable', envelope, meta, reason, detail, mayBeKnownElsewhere };
}
