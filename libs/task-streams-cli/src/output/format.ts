const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A span in its two largest units: `3m 12s`, `2d 4h`; below a second in milliseconds. */
export function showSpan(ms: number): string {
  const span = Math.max(0, Math.round(ms));
  if (span < SECOND) return `${span}ms`;
  if (span < MINUTE) return `${Math.floor(span / SECOND)}s`;
  if (span < HOUR) return pair(span, MINUTE, 'm', SECOND, 's');
  if (span < DAY) return pair(span, HOUR, 'h', MINUTE, 'm');
  return pair(span, DAY, 'd', HOUR, 'h');
}

function pair(ms: number, ...[large, largeName, small, smallName]: [number, string, number, string]): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${largeName}${rest === 0 ? '' : ` ${rest}${smallName}`}`;
}

/** A moment to the second, in UTC; `-` for none. */
export function showTime(time: Date | number | undefined): string {
  if (time === undefined) return '-';
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '-' : date.toISOString().replace('T', ' ').slice(0, 19).concat('Z');
}

/** How long ago a moment was; `-` for none. */
export function showAgo(time: Date | number | undefined, now = Date.now()): string {
  return time === undefined ? '-' : `${showSpan(now - new Date(time).getTime())} ago`;
}

/** `1 task`, `2 tasks`, `12,345 tasks`. */
export function showCount(count: number, noun: string): string {
  return `${showNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** With a comma at each thousand. */
export function showNumber(count: number): string {
  return count.toLocaleString('en-US');
}

/** Bytes in the largest unit that leaves a whole number before the point. */
export function showBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1_024 && unit < units.length - 1; unit += 1) value /= 1_024;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
