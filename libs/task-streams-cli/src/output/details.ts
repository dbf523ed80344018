import { clean, cleanLines } from './clean.js';
import type { Output } from './output.js';

export type Detail = readonly [name: string, value: string | number | undefined];

/** Names and values under each other; those without a value are left out. */
export async function showDetails(out: Output, details: readonly Detail[]): Promise<void> {
  const shown = details.filter((detail): detail is readonly [string, string | number] => detail[1] !== undefined);
  const width = Math.max(...shown.map(([name]) => name.length));
  for (const [name, value] of shown) {
    await out.line(`${out.paint('dim', name.padEnd(width))}  ${clean(`${value}`)}`);
  }
}

/** A text of several lines under a title, moved in. */
export async function showBlock(out: Output, title: string, text: string): Promise<void> {
  await out.line(out.paint('dim', title));
  for (const line of cleanLines(text).split('\n')) await out.line(`  ${line}`);
}
