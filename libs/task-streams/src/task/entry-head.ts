import { WIRE_VERSION } from './envelope.js';

/** The parts of the `head` field, a line each, because a script reads them without parsing JSON. */
export interface EntryHead {
  readonly version: string;
  readonly id: string;
  readonly name: string;
  /** Empty where the task id is the key. */
  readonly key: string;
  /** Lane and group; empty for most. This version has neither, and keeps what it finds. */
  readonly route: string;
  /** JSON of headers and options, or nothing. */
  readonly extra: string;
}

/** What {@link encodeHead} needs to know of a task. */
export interface HeadSource {
  readonly id: string;
  readonly name: string;
  readonly idempotencyKey: string;
  readonly head: string;
}

/** The text of the `head` field. */
export function encodeHead(task: HeadSource): string {
  return `${WIRE_VERSION}\n${task.id}\n${task.name}\n${task.idempotencyKey}\n\n${task.head}`;
}

/** The parts of a `head` field; a part that is not there is empty. */
export function splitHead(text: string): EntryHead {
  const version = line(text, 0);
  const id = line(text, version.end);
  const name = line(text, id.end);
  const key = line(text, name.end);
  const route = line(text, key.end);
  const texts = { version: version.text, id: id.text, name: name.text, key: key.text, route: route.text };
  return { ...texts, extra: text.slice(route.end) };
}

function line(text: string, from: number): { readonly text: string; readonly end: number } {
  const at = text.indexOf('\n', from);
  return at < 0 ? { text: text.slice(from), end: text.length } : { text: text.slice(from, at), end: at + 1 };
}
