import { hash } from 'node:crypto';

/** The most characters that payment APIs take for an idempotency key. */
export const MAX_EFFECT_KEY = 255;

/** Printable ASCII but a space, a percent sign and, in a queue or a name, a slash. */
const TO_ESCAPE = /[^!-~]+|[%/]/gu;
const TO_ESCAPE_IN_KEY = /[^!-~]+|%/gu;

/**
 * The key of one effect, for anybody outside: `<queue>/<task>/<key>`, with what is not printable ASCII escaped as in a URL.
 * Where that is longer than 255 characters, `sha256:` and 64 hexadecimal digits. Never the same for two of anything: the
 * first two slashes end the queue and the task, and a hash has none.
 */
export function effectKey(queue: string, taskName: string, key: string): string {
  const text = `${escape(queue)}/${escape(taskName)}/${key.replace(TO_ESCAPE_IN_KEY, encodeURIComponent)}`;
  return text.length <= MAX_EFFECT_KEY ? text : `sha256:${hash('sha256', text, 'hex')}`;
}

function escape(name: string): string {
  return name.replace(TO_ESCAPE, encodeURIComponent);
}
