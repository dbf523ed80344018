/** The text of another program, for the middle of a sentence of ours. */
export function withoutFullStop(text: string): string {
  return text.trimEnd().replace(/\.$/, '');
}

/** Control characters of all kinds, line ends of Unicode, and those that turn the direction of text. */
const OBEYED = /[\p{Cc}\u{2028}\u{2029}\u{202a}-\u{202e}\u{2066}-\u{2069}]+/gu;

/** The same on one line: what another program wrote into a name or an error cannot look like a line of ours. */
export function onOneLine(text: string): string {
  return text.replace(OBEYED, ' ');
}
