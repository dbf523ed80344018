import { clean } from './clean.js';
import type { Paint, Style } from './colour.js';
import { cutText, textWidth } from './text-width.js';

export interface Column {
  readonly title: string;
  /** Numbers stand at the right. Default left. */
  readonly align?: 'right';
  /** May be cut where the terminal is too narrow; at least so many columns are left of it. Default: it is not cut. */
  readonly least?: number;
}

export type Cell = string | number | { readonly text: string; readonly style: Style };

export interface TableShape {
  /** Columns of the terminal; Infinity cuts nothing. */
  readonly width: number;
  readonly paint: Paint;
}

const GAP = 2;

/** Rows under titles, as lines. What comes from Redis is cleaned; colours are put on last. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  { width, paint }: TableShape,
): string[] {
  const texts = rows.map((row) => row.map((cell) => clean(textOf(cell))));
  const widths = fit(columns, naturalWidths(columns, texts), width);
  const lineOf = (cells: readonly string[], styleAt: (i: number) => Style | undefined): string => {
    const parts = cells.map((text, i) => {
      const style = styleAt(i);
      const padded = pad(cutText(text, widths[i] ?? 0), widths[i] ?? 0, columns[i]?.align);
      return style === undefined ? padded : paint(style, padded);
    });
    return parts.join(' '.repeat(GAP)).trimEnd();
  };
  return [
    lineOf(
      columns.map(({ title }) => title),
      () => 'dim',
    ),
    ...texts.map((cells, n) => lineOf(cells, (i) => styleOf(rows[n]?.[i]))),
  ];
}

function naturalWidths(columns: readonly Column[], texts: readonly (readonly string[])[]): number[] {
  return columns.map(({ title }, i) =>
    texts.reduce((most, row) => Math.max(most, textWidth(row[i] ?? '')), title.length),
  );
}

/** Takes what is too much from the widest columns that may be cut. */
function fit(columns: readonly Column[], natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  const total = (): number => widths.reduce((sum, one) => sum + one, 0) + GAP * (widths.length - 1);
  while (total() > width) {
    const spare = columns.map(({ least }, i) => (least === undefined ? 0 : (widths[i] ?? 0) - least));
    const widest = spare.indexOf(Math.max(...spare));
    if ((spare[widest] ?? 0) <= 0) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function pad(text: string, width: number, align: Column['align']): string {
  const space = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'right' ? space + text : text + space;
}

function textOf(cell: Cell): string {
  return typeof cell === 'object' ? cell.text : `${cell}`;
}

function styleOf(cell: Cell | undefined): Style | undefined {
  return typeof cell === 'object' ? cell.style : undefined;
}
