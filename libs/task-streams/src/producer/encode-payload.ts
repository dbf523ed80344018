import { isJsonDeeperThan } from '../policy/json-depth.js';
import { findMember, PROTO_MEMBERS } from '../task/find-member.js';
import { PayloadNotSerializableError, PayloadTooLargeError } from '../task/producer-errors.js';
import { findPayloadFault } from './find-payload-fault.js';

/** What {@link encodePayload} refuses. */
export interface PayloadLimits {
  /** The most bytes, counted as UTF-8. */
  readonly maxPayloadBytes: number;
  /** How deep arrays and objects may be nested; a bare string has depth 0. */
  readonly maxPayloadDepth: number;
}

/** A UTF-16 code unit has at most this many bytes as UTF-8. */
const MAX_BYTES_OF_UNIT = 3;

/**
 * The payload as JSON text, exactly as `JSON.stringify` writes it: a Date becomes an ISO string and an invalid one null,
 * NaN and Infinity become null, -0 becomes 0, members that are undefined, functions or symbols are dropped (null in an
 * array), a Map, a Set and an Error become `{}`, a Buffer `{"type":"Buffer","data":[…]}`.
 *
 * @throws PayloadNotSerializableError for what has no JSON, for a member `__proto__`, and for a payload that is nested too deeply.
 * @throws PayloadTooLargeError for too many bytes.
 * @internal
 */
export function encodePayload(taskName: string, payload: unknown, limits: PayloadLimits): string {
  const json = stringify(taskName, payload, limits);
  if (json === undefined) throw nothingToSend(taskName, payload);
  if (json.includes('__proto__')) refuseProto(taskName, json);
  const { maxPayloadBytes, maxPayloadDepth } = limits;
  if (json.length * MAX_BYTES_OF_UNIT > maxPayloadBytes) {
    const bytes = Buffer.byteLength(json);
    if (bytes > maxPayloadBytes) throw new PayloadTooLargeError(taskName, bytes, maxPayloadBytes);
  }
  if (isJsonDeeperThan(json, maxPayloadDepth)) throw notSerializable(taskName, payload, limits, undefined);
  return json;
}

/** It would arrive, and become the prototype of the object that a handler copies the payload into: no honest payload has one. */
function refuseProto(taskName: string, json: string): void {
  const path = findMember(JSON.parse(json), PROTO_MEMBERS);
  if (path === undefined) return;
  throw new PayloadNotSerializableError(
    taskName,
    path,
    'there is a member __proto__, which objects take for their prototype,',
  );
}

function stringify(taskName: string, payload: unknown, limits: PayloadLimits): string | undefined {
  try {
    return JSON.stringify(payload);
  } catch (error) {
    throw notSerializable(taskName, payload, limits, error);
  }
}

function notSerializable(taskName: string, payload: unknown, limits: PayloadLimits, error: unknown): Error {
  const { path, what, cause } = findPayloadFault(payload, limits.maxPayloadDepth) ?? unknownFault(error);
  return new PayloadNotSerializableError(taskName, path, what, { cause: cause ?? error });
}

/** For an object that behaves otherwise the second time it is looked at. */
function unknownFault(error: unknown): { path: string; what: string; cause: unknown } {
  const why = error instanceof Error ? error.message : 'it changes while it is read';
  return { path: 'payload', what: `JSON.stringify fails (${why})`, cause: error };
}

function nothingToSend(taskName: string, payload: unknown): Error {
  const kind = typeof payload === 'object' ? 'an object whose toJSON answers undefined' : typeof payload;
  const hint = payload === undefined ? ' (send null for a task without data)' : '';
  return new PayloadNotSerializableError(taskName, 'payload', `there is nothing to write, it is ${kind}${hint},`);
}
