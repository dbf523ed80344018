import { derivedParts, type DeadLetter } from './dead-letter.js';
import { decodeEnvelope } from './decode-envelope.js';
import { fieldOf } from './entry-fields.js';
import { splitHead } from './entry-head.js';
import type { TaskEnvelope } from './envelope.js';
import type { DeadLetterOutcome } from './task-outcome.js';

/** What a dead letter tells of the delivery it comes from. */
export interface LetterSource {
  readonly queue: string;
  readonly entryId: string;
  readonly taskId: string;
  readonly name: string;
  /** Names and values, alternating. */
  readonly fields: readonly string[];
}

/**
 * The dead letter of a task that is given up.
 *
 * @param envelope `undefined` where the entry could not be read.
 */
export function deadLetterOf(
  delivery: LetterSource,
  envelope: TaskEnvelope | undefined,
  outcome: DeadLetterOutcome,
): DeadLetter {
  const headers = envelope?.headers ?? {};
  return {
    ...outcome.info,
    entryId: undefined,
    queue: delivery.queue,
    taskId: envelope?.id ?? delivery.taskId,
    name: envelope?.name ?? delivery.name,
    sourceEntryId: delivery.entryId,
    idempotencyKey: envelope
      ? envelope.idempotencyKey
      : splitHead(fieldOf(delivery.fields, 'head') ?? '').key || undefined,
    headers,
    body: envelope ? envelope.body : fieldOf(delivery.fields, 'body'),
    ...derivedParts(headers, outcome.info.history),
  };
}

/** The same where nothing but the delivery is known: its entry is read anew. */
export function deadLetterOfDelivery(
  delivery: LetterSource,
  outcome: DeadLetterOutcome,
  maxHeaders: number,
): DeadLetter {
  // Parsing may be what kills the process: a task that has done so stays unparsed.
  const isDangerous = outcome.info.reason === 'crash-limit';
  const entry = isDangerous ? undefined : decodeEnvelope(delivery.fields, maxHeaders);
  return deadLetterOf(delivery, entry?.kind === 'task' ? entry.envelope : undefined, outcome);
}
