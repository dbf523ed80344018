import type { ResolvedOptions } from '../options/resolved-options.js';
import { isJsonDeeperThan } from '../policy/json-depth.js';
import type { DeadLetterReason } from '../task/dead-letter.js';
import { findMember, PROTO_MEMBERS } from '../task/find-member.js';

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
    const proto = MAYBE_PROTO.test(body) ? findMember(value, PROTO_MEMBERS) : undefined;
    // A sender of this library is refused it: as the prototype of what a handler copies it into it would be no data.
    if (proto !== undefined) return malformed('validation', `there is a member __proto__ at ${proto}`);
    return { kind: 'payload', value };
  } catch (error) {
    return malformed('invalid-json', error instanceof Error ? error.message : 'not JSON');
  }
}

function malformed(reason: DeadLetterReason, detail: string): DecodedPayload {
  return { kind: 'malformed', reason, detail };
}
