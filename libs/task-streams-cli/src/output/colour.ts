import { styleText } from 'node:util';

export type Style = 'red' | 'green' | 'yellow' | 'dim' | 'bold';

export type Paint = (style: Style, text: string) => string;

/** Colours for a stream, or none: not where it is no terminal, nor with NO_COLOR, nor on a terminal that is dumb. */
export function paintFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>> = process.env,
): Paint {
  const isColoured = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return isColoured ? (style, text) => styleText(style, text, { validateStream: false }) : (_, text) => text;
}
