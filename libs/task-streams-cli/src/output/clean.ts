/** Control characters of all kinds, and those that turn the direction of text: a terminal would obey them. */
const OBEYED = /[\p{Cc}\u{2028}\u{2029}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu;
/** What is left of them once C0 is escaped, as JSON.stringify does. */
const OBEYED_IN_JSON = /[\u{7f}-\u{9f}\u{2028}\u{2029}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu;

/** Text from Redis on one line, without anything a terminal would obey. */
export function clean(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(OBEYED, '\u{fffd}');
}

/** The same with its lines kept. */
export function cleanLines(text: string): string {
  return text
    .split(/\r\n|[\r\n]/u)
    .map((line) => line.replaceAll('\t', '  ').replace(OBEYED, '\u{fffd}'))
    .join('\n');
}

/** JSON with those characters escaped: the same value, and safe to look at. */
export function cleanJson(json: string): string {
  return json.replace(OBEYED_IN_JSON, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
