const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Whether arrays and objects of a JSON text are nested deeper than `maxDepth`; a value that is neither has depth 0.
 * Looks at the text alone, so that a text that would exhaust the stack of a parser can be told beforehand. Text that is
 * no JSON gets an answer too, of no meaning.
 *
 * @internal
 */
export function isJsonDeeperThan(json: string, maxDepth: number): boolean {
  // Each level costs two characters at the least.
  if (json.length <= maxDepth * 2 || opensAtMost(json, maxDepth)) return false;
  // Bytes are read twice as fast as the characters of a string; every byte of a longer character is above 0x7f.
  return areBytesDeeperThan(Buffer.from(json), maxDepth);
}

/** Most payloads have few brackets, and looking for them costs next to nothing. */
function opensAtMost(json: string, limit: number): boolean {
  let opened = 0;
  for (const bracket of '[{') {
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1)) {
      opened += 1;
      if (opened > limit) return false;
    }
  }
  return true;
}

function areBytesDeeperThan(json: Uint8Array, maxDepth: number): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index];
    if (byte === QUOTE) {
      index = endOfString(json, index);
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth -= 1;
    }
  }
  return false;
}

/** The place of the quote that ends the string which begins at `start`. */
function endOfString(json: Uint8Array, start: number): number {
  for (let index = start + 1; index < json.length; index += 1) {
    if (json[index] === QUOTE) return index;
    if (json[index] === BACKSLASH) index += 1;
  }
  return json.length;
}
