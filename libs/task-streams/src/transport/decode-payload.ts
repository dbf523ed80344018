import type { ResolvedOptions } from '../options/resolved-options.js';
import { isJsonDeeperThan } from '../policy/json-depth.js';
import type { DeadLetterReason } from '../task/dead-letter.js';

/** What the payload of an entry turns out to be. */
export type DecodedPayload =
  | { readonly kind: 'payload'; readonly value: unknown }
  | { readonly kind: 'malformed'; readonly reason: DeadLetterReason; readonly detail: string };

type Limits = Pick<ResolvedOptions['limits'], 'maxPayloadBytes' | 'maxPayloadDepth'>;

/** The word itself, or one that may be written with escapes. */
const MAYBE_PROTO = /__proto__|\\u00/i;

/** Parses a payload, after its size and depth were looked at in the text. Never throws. */
export function decodePayload(body: string, limits: Limits): DecodedPayload {
  const { maxPayloadBytes, maxPayloadDepth } = limits;
  if (body.length * 3 > maxPayloadBytes) {
    const bytes = Buffer.byteLength(body);
    if (bytes > maxPayloadBytes)
      return malformed('payload-too-large', `${bytes} bytes; the limit is ${maxPayloadBytes}`);
  }
  if (isJsonDeeperThan(body, maxPayloadDepth)) {
    return malformed('payload-too-deep', `nested deeper than ${maxPayloadDepth} levels`);
  }
  try {
    const value: unknown = JSON.parse(body);
    if (MAYBE_PROTO.test(body)) dropProtoMembers(value);
    return { kind: 'payload', value };
  } catch (error) {
    return malformed('invalid-json', error instanceof Error ? error.message : 'not JSON');
  }
}

/**
 * JSON.parse makes `__proto__` an ordinary member, which becomes the prototype of whatever a handler copies it into with
 * Object.assign. No honest payload has one.
 */
function dropProtoMembers(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Object.hasOwn(value, '__proto__')) delete (value as Record<string, unknown>)['__proto__'];
  for (const member of Object.values(value)) dropProtoMembers(member);
}

function malformed(reason: DeadLetterReason, detail: string): DecodedPayload {
  return { kind: 'malformed', reason, detail };
}
