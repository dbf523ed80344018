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
  if (json.length <= maxDepth * 2) return false;
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    switch (json.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(json, index);
        break;
      case OPEN_ARRAY:
      case OPEN_OBJECT:
        depth += 1;
        if (depth > maxDepth) return true;
        break;
      case CLOSE_ARRAY:
      case CLOSE_OBJECT:
        depth -= 1;
        break;
    }
  }
  return false;
}

/** The place of the quote that ends the string which begins at `start`. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end;
}

function isEscaped(json: string, quote: number): boolean {
  let slashes = 0;
  while (json.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}
