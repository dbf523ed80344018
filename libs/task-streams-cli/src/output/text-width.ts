/** Characters of East Asia and pictures take two columns of a terminal, marks that sit on others none. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\u{ff01}-\u{ff60}]/u;
const NONE = /[\p{M}\p{Cf}]/u;
const PLAIN = /^[\u{20}-\u{7e}]*$/u;

/** How many columns of a terminal a text takes, more or less. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return [...text].reduce((sum, char) => sum + charWidth(char), 0);
}

/** The text, or as much of it as fits into so many columns, with an ellipsis at its end. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const char of text) {
    used += charWidth(char);
    if (used > width - 1) break;
    kept += char;
  }
  return width > 0 ? `${kept}…` : '';
}

function charWidth(char: string): number {
  if (NONE.test(char)) return 0;
  // Digits, # and * count as pictures because they can begin one.
  return WIDE.test(char) && !PLAIN.test(char) && char !== '©' && char !== '®' ? 2 : 1;
}
