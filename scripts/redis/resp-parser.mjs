/** @typedef {string | number | null | RespError | unknown[]} RespValue */

/** An error reply of the server, as a value. */
export class RespError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = 'RespError';
  }
}

/**
 * Reads one RESP2 reply.
 *
 * @param {string} text bytes as latin1, so that lengths count bytes
 * @param {number} [start]
 * @returns {{ value: RespValue, end: number } | undefined} undefined when the reply is not complete yet
 */
export function parseReply(text, start = 0) {
  const lineEnd = text.indexOf('\r\n', start);
  if (lineEnd < 0) return undefined;
  const line = text.slice(start + 1, lineEnd);
  const end = lineEnd + 2;
  switch (text[start]) {
    case '+':
      return { value: line, end };
    case '-':
      return { value: new RespError(line), end };
    case ':':
      return { value: Number(line), end };
    case '$':
      return parseBulk(text, Number(line), end);
    case '*':
      return parseArray(text, Number(line), end);
    default:
      throw new Error(
        `Not a Redis reply: ${JSON.stringify(text.slice(start, start + 40))}. Does another service listen there?`,
      );
  }
}

/**
 * @param {string} text
 * @param {number} length
 * @param {number} start
 */
function parseBulk(text, length, start) {
  if (length < 0) return { value: null, end: start };
  const end = start + length + 2;
  return text.length < end ? undefined : { value: text.slice(start, start + length), end };
}

/**
 * @param {string} text
 * @param {number} length
 * @param {number} start
 * @returns {{ value: RespValue, end: number } | undefined}
 */
function parseArray(text, length, start) {
  /** @type {RespValue[]} */
  const value = [];
  let end = start;
  while (value.length < length) {
    const item = parseReply(text, end);
    if (!item) return undefined;
    value.push(item.value);
    end = item.end;
  }
  return { value, end };
}
