const VAT_PERCENTS = [21, 21, 21, 10, 10, 4] as const;
const MAX_NET_CENTS = 50_000;
const CUSTOMERS = 20_000;

export interface Sale {
  readonly customer: string;
  readonly netCents: number;
  readonly vatPercent: number;
}

/** The shop keeps no books: it makes each sale up, the same one every time. */
export function saleOf(year: number, row: number): Sale {
  const dice = mix(Math.imul(year, 0x9e37_79b1) ^ row);
  return {
    customer: `C${String(dice % CUSTOMERS).padStart(5, '0')}`,
    netCents: 100 + ((dice >>> 4) % MAX_NET_CENTS),
    vatPercent: VAT_PERCENTS[(dice >>> 9) % VAT_PERCENTS.length] ?? VAT_PERCENTS[0],
  };
}

/** Every day of the year as 2025-12-31, in order. */
export function daysOf(year: number): string[] {
  const days: string[] = [];
  for (
    const day = new Date(Date.UTC(year, 0, 1));
    day.getUTCFullYear() === year;
    day.setUTCDate(day.getUTCDate() + 1)
  ) {
    days.push(day.toISOString().slice(0, 10));
  }
  return days;
}

/** Cents as euros with two decimals, without the rounding of floating point. */
export function euros(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}

/** Spreads neighbouring numbers over all 32 bits (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
