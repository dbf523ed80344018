import type { DeadLetterReason } from './dead-letter.js';
import { decodeHeadExtra } from './decode-head-extra.js';
import { fieldOf } from './entry-fields.js';
import { splitHead, type EntryHead } from './entry-head.js';
import { WIRE_VERSION, type TaskEnvelope } from './envelope.js';
import { requireIdempotencyKey, requireTaskId, requireTaskName } from './names.js';
import { decodeMeta, type TaskMeta } from './task-meta.js';

/** What an entry of the task stream turns out to be. */
export type DecodedEntry =
  | { readonly kind: 'task'; readonly envelope: TaskEnvelope; readonly meta: TaskMeta }
  | {
      readonly kind: 'malformed';
      readonly reason: DeadLetterReason;
      /** What is wrong, for people. */
      readonly detail: string;
      readonly meta: TaskMeta;
    };

/**
 * Reads the fields of an entry. Never throws, whatever lies in the stream; the payload stays text.
 *
 * @param fields Names and values, alternating. Of a name that comes twice, the first counts.
 * @param maxHeaders The most headers that are accepted.
 * @internal
 */
export function decodeEnvelope(fields: readonly string[], maxHeaders: number): DecodedEntry {
  const meta = decodeMeta(fieldOf(fields, 'meta'));
  const malformed = (reason: DeadLetterReason, detail: string): DecodedEntry => ({
    kind: 'malformed',
    reason,
    detail,
    meta,
  });
  const head = fieldOf(fields, 'head');
  if (head === undefined) return malformed('missing-field', 'the entry has no field "head"');
  const parts = splitHead(head);
  if (parts.version !== WIRE_VERSION) {
    return malformed('unsupported-version', `wire version ${show(parts.version)}; this build reads ${WIRE_VERSION}`);
  }
  const body = fieldOf(fields, 'body');
  if (body === undefined) return malformed('missing-field', 'the entry has no field "body"');
  const extra = decodeHeadExtra(parts.extra, maxHeaders);
  if (extra.kind === 'malformed') return malformed(extra.reason, extra.detail);
  try {
    return { kind: 'task', envelope: envelopeOf(parts, extra, body), meta };
  } catch (error) {
    return malformed('missing-field', error instanceof Error ? error.message : 'a name cannot be used');
  }
}

/** What most ids and names are made of; the slower rules are for the others. */
const PLAIN = /^[!-.0-~]{1,256}$/;

function envelopeOf(head: EntryHead, extra: Pick<TaskEnvelope, 'headers' | 'options'>, body: string): TaskEnvelope {
  return {
    id: isPlain(head.id) ? head.id : requireTaskId(head.id),
    name: isPlain(head.name) ? head.name : requireTaskName(head.name),
    idempotencyKey: head.key === '' ? undefined : requireIdempotencyKey(head.key),
    headers: extra.headers,
    options: extra.options,
    body,
  };
}

function isPlain(name: string): boolean {
  return PLAIN.test(name);
}

function show(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
