/** The text of another program, for the middle of a sentence of ours. */
export function withoutFullStop(text: string): string {
  return text.trimEnd().replace(/\.$/, '');
}
