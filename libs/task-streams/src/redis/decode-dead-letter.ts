import {
  DEAD_LETTER_REASONS,
  type DeadLetter,
  type DeadLetterInfo,
  type DeadLetterReason,
} from '../task/dead-letter.js';
import { fieldOf, lastFieldOf } from '../task/entry-fields.js';
import { splitHead } from '../task/entry-head.js';

/** Reads an entry of the dead-letter stream. Never throws: a letter that cannot be read is shown as far as it can. */
export function decodeDeadLetter(queue: string, entryId: string, fields: readonly string[]): DeadLetter {
  const info = parseObject(lastFieldOf(fields, 'dead.info')) as Partial<DeadLetterInfo>;
  const head = splitHead(fieldOf(fields, 'head') ?? '');
  return {
    queue,
    entryId,
    taskId: head.id,
    name: head.name,
    sourceEntryId: lastFieldOf(fields, 'dead.source') ?? '',
    idempotencyKey: head.key || undefined,
    headers: (parseObject(head.extra)['headers'] ?? {}) as Readonly<Record<string, string>>,
    body: fieldOf(fields, 'body'),
    reason: reasonOf(lastFieldOf(fields, 'dead.reason')),
    error: info.error,
    failedAttempts: info.failedAttempts ?? 0,
    deliveryCount: info.deliveryCount ?? 0,
    firstFailedAt: info.firstFailedAt,
    at: info.at ?? Number(entryId.split('-')[0]),
    worker: info.worker ?? '',
    history: info.history ?? [],
    redriveCount: info.redriveCount ?? 0,
  };
}

function reasonOf(text: string | undefined): DeadLetterReason {
  const reason = DEAD_LETTER_REASONS.find((known) => known === text);
  return reason ?? 'requested';
}

function parseObject(text: string | undefined): Readonly<Record<string, unknown>> {
  if (!text) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
