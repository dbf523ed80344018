import { isUtf8 } from 'node:buffer';
import {
  DEAD_LETTER_REASONS,
  derivedParts,
  type DeadLetter,
  type DeadLetterInfo,
  type DeadLetterReason,
} from '../../task/dead-letter.js';
import { splitHead } from '../../task/entry-head.js';

/** Reads an entry of the dead-letter stream. Never throws: a letter that cannot be read is shown as far as it can. */
export function decodeDeadLetter(queue: string, entryId: string, fields: readonly Buffer[]): DeadLetter {
  const text = (name: string) => bytesOf(fields, name)?.toString();
  const told = (name: string) => lastBytesOf(fields, name)?.toString();
  const info = parseObject(told('dead.info')) as Partial<DeadLetterInfo>;
  const head = splitHead(text('head') ?? '');
  const headers = (parseObject(head.extra)['headers'] ?? {}) as Readonly<Record<string, string>>;
  const history = Array.isArray(info.history) ? info.history : [];
  const group = told('dead.group');
  return {
    queue,
    entryId,
    taskId: head.id,
    name: head.name,
    sourceEntryId: told('dead.source') ?? '',
    idempotencyKey: head.key || undefined,
    headers,
    ...bodyOf(bytesOf(fields, 'body')),
    reason: reasonOf(told('dead.reason')),
    error: info.error,
    failedAttempts: info.failedAttempts ?? 0,
    deliveryCount: info.deliveryCount ?? 0,
    firstFailedAt: info.firstFailedAt,
    at: Number(told('dead.at') ?? info.at ?? entryId.split('-')[0]),
    worker: info.worker ?? '',
    history,
    redriveCount: info.redriveCount ?? 0,
    redrives: Array.isArray(info.redrives) ? info.redrives : [],
    fingerprint: info.fingerprint ?? '',
    ...(group ? { group } : {}),
    ...derivedParts(headers, history),
  };
}

function bytesOf(fields: readonly Buffer[], name: string): Buffer | undefined {
  for (let i = 0; i + 1 < fields.length; i += 2) {
    if (fields[i]?.toString() === name) return fields[i + 1];
  }
  return undefined;
}

/** Of what a script adds to an entry, the sender cannot have the last word. */
function lastBytesOf(fields: readonly Buffer[], name: string): Buffer | undefined {
  for (let i = fields.length - (fields.length % 2) - 2; i >= 0; i -= 2) {
    if (fields[i]?.toString() === name) return fields[i + 1];
  }
  return undefined;
}

function bodyOf(bytes: Buffer | undefined): Pick<DeadLetter, 'body' | 'bodyBase64'> {
  if (!bytes || isUtf8(bytes)) return { body: bytes?.toString() };
  return { body: bytes.toString(), bodyBase64: bytes.toString('base64') };
}

/** A worker of a newer release may have given a reason that is not known here: it must not pass for another one. */
export function reasonOf(text: string | undefined): DeadLetterReason {
  return DEAD_LETTER_REASONS.find((known) => known === text) ?? 'unknown';
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
