import type { Delivery } from '../contracts/work-store.interface.js';
import type { ResolvedOptions } from '../options/resolved-options.js';
import { crashStandingOf } from '../policy/crash-limit.js';
import { isTooLate, startLimits, type StartLimits } from '../policy/expiry.js';
import { decodeEnvelope } from '../task/decode-envelope.js';
import type { DeadLetterReason } from '../task/dead-letter.js';
import type { TaskEnvelope } from '../task/envelope.js';
import { fieldOf } from '../task/entry-fields.js';
import { decodeMeta, FRESH_META, type TaskMeta } from '../task/task-meta.js';
import { decodePayload } from './decode-payload.js';
import type { HandlerRegistry, RegisteredHandler } from '../handlers/handler-registry.js';

/** Far more than ten attempts and five redrives take. */
const MAX_META_LENGTH = 262_144;

/** What a delivery turns out to be. */
export type ReadDelivery =
  | {
      readonly kind: 'runnable';
      readonly envelope: TaskEnvelope;
      readonly meta: TaskMeta;
      readonly payload: unknown;
      readonly handler: RegisteredHandler;
      readonly startLimits: StartLimits | undefined;
    }
  | {
      readonly kind: 'unrunnable';
      readonly envelope: TaskEnvelope | undefined;
      readonly meta: TaskMeta;
      readonly reason: DeadLetterReason;
      readonly detail: string;
      /** True where another worker may know it. */
      readonly mayBeKnownElsewhere: boolean;
    }
  | {
      /** Its time was over before it was started. */
      readonly kind: 'expired';
      readonly envelope: TaskEnvelope;
      readonly meta: TaskMeta;
      readonly detail: string;
      readonly handler: RegisteredHandler | undefined;
    };

/** Reads a delivery as far as it can be trusted, the cheapest look first. Never throws. */
export function readDelivery(delivery: Delivery, options: ResolvedOptions, registry: HandlerRegistry): ReadDelivery {
  // Before anything is parsed: parsing may be what kills the process.
  if (crashStandingOf(delivery, options.crashLimit) === 'given-up') {
    const detail = `its process died with it again and again: delivery ${delivery.deliveryCount}, and the crash limit is ${options.crashLimit}`;
    return unrunnable('crash-limit', detail, metaOf(delivery));
  }
  const entry = decodeEnvelope(delivery.fields, options.limits.maxHeaders);
  if (entry.kind === 'malformed') {
    return unrunnable(entry.reason, entry.detail, entry.meta, undefined, entry.reason === 'unsupported-version');
  }
  const { envelope, meta } = entry;
  const handler = registry.find(delivery.queue, envelope.name);
  const limits = startLimitsOf(delivery, envelope, meta);
  if (limits !== undefined && isTooLate(limits, delivery.claimedAt, meta.failedAttempts)) {
    const limit = meta.failedAttempts === 0 ? limits.first : limits.every;
    const detail = `not started: its time was over ${delivery.claimedAt - limit} ms before a worker took it`;
    return { kind: 'expired', envelope, meta, detail, handler };
  }
  if (handler === undefined) {
    const detail = `no handler for task "${envelope.name}" of queue "${delivery.queue}" in this worker`;
    return unrunnable('unknown-task', detail, meta, envelope, true);
  }
  const payload = decodePayload(envelope.body, options.limits);
  if (payload.kind === 'malformed') return unrunnable(payload.reason, payload.detail, meta, envelope);
  return { kind: 'runnable', envelope, meta, payload: payload.value, handler, startLimits: limits };
}

/** Somebody who redrives a task has decided that it is to run, however late. */
function startLimitsOf(delivery: Delivery, envelope: TaskEnvelope, meta: TaskMeta): StartLimits | undefined {
  const { expiry } = envelope.options;
  return expiry === undefined || meta.redriveCount > 0 ? undefined : startLimits(expiry, delivery.enqueuedAt);
}

/** Written by a worker and not by a sender, and of a bounded size: this much can be read of a task that kills. */
function metaOf(delivery: Delivery): TaskMeta {
  const text = fieldOf(delivery.fields, 'meta');
  return text !== undefined && text.length <= MAX_META_LENGTH ? decodeMeta(text) : FRESH_META;
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
