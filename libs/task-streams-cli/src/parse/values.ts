import { InvalidArgumentError } from 'commander';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `500ms`, `10s`, `5m`, `2h`, `1.5d` in milliseconds. */
export function parseSpan(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim()) ?? [];
  const factor = unit === undefined ? undefined : UNITS[unit];
  if (factor === undefined) throw new InvalidArgumentError('Give a number with ms, s, m, h or d, such as 10m.');
  return Math.round(Number(number) * factor);
}

/** A moment: a time such as `2026-11-29T10:00:00Z`, or a span, which is so long ago. */
export function parseMoment(text: string, now = Date.now()): Date {
  if (/^\d+(\.\d+)?(ms|s|m|h|d)$/.test(text.trim())) return new Date(now - parseSpan(text));
  return parseTime(text);
}

/** A time such as `2026-11-29T10:00:00Z` or `2026-11-29`. Without a zone it is one of this machine, a bare day one of UTC. */
export function parseTime(text: string): Date {
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? new Date(text) : undefined;
  if (time === undefined || Number.isNaN(time.getTime())) {
    throw new InvalidArgumentError('Give a time such as 2026-11-29T10:00:00Z, or how long ago, such as 2h.');
  }
  return time;
}

/** A parser of whole numbers between bounds. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
  };
}

/** A number between bounds. */
export function decimal(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Give a number from ${least} to ${most}.`);
  };
}
