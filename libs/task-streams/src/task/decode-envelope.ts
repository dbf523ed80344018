import type { DeadLetterReason } from './dead-letter.js';
import { decodeHead } from './decode-head.js';
import { ENTRY_FIELDS, WIRE_VERSION, type TaskEnvelope } from './envelope.js';
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

type EntryField = (typeof ENTRY_FIELDS)[number];

/**
 * Reads the fields of an entry. Never throws, whatever lies in the stream; the payload stays text.
 *
 * @param fields Names and values, alternating. Of a name that comes twice, the first counts.
 * @param maxHeaders The most headers that are accepted.
 * @internal
 */
export function decodeEnvelope(fields: readonly string[], maxHeaders: number): DecodedEntry {
  const entry = readFields(fields);
  const meta = decodeMeta(entry.meta);
  const malformed = (reason: DeadLetterReason, detail: string): DecodedEntry => ({
    kind: 'malformed',
    reason,
    detail,
    meta,
  });
  if (entry.v !== undefined && entry.v !== WIRE_VERSION) {
    return malformed('unsupported-version', `wire version ${show(entry.v)}; this build reads ${WIRE_VERSION}`);
  }
  for (const name of ['v', 'id', 'task', 'body'] as const) {
    if (entry[name] === undefined) return malformed('missing-field', `the entry has no field "${name}"`);
  }
  const head = decodeHead(entry.head, maxHeaders);
  if (head.kind === 'malformed') return malformed(head.reason, head.detail);
  try {
    const { headers, options } = head;
    return { kind: 'task', envelope: { ...identify(entry), headers, options, body: entry.body ?? '' }, meta };
  } catch (error) {
    return malformed('missing-field', error instanceof Error ? error.message : 'a name cannot be used');
  }
}

/** What most ids and names are made of; the slower rules are for the others. */
const PLAIN = /^[!-.0-~]{1,256}$/;

function identify(entry: Partial<Record<EntryField, string>>): Pick<TaskEnvelope, 'id' | 'name' | 'idempotencyKey'> {
  return {
    id: isPlain(entry.id) ? entry.id : requireTaskId(entry.id),
    name: isPlain(entry.task) ? entry.task : requireTaskName(entry.task),
    idempotencyKey: entry.key ? requireIdempotencyKey(entry.key) : undefined,
  };
}

function readFields(fields: readonly string[]): Partial<Record<EntryField, string>> {
  const entry: Partial<Record<EntryField, string>> = {};
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const name = fields[index] as EntryField;
    if (ENTRY_FIELDS.includes(name)) entry[name] ??= fields[index + 1] ?? '';
  }
  return entry;
}

function isPlain(name: string | undefined): name is string {
  return name !== undefined && PLAIN.test(name);
}

function show(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}
