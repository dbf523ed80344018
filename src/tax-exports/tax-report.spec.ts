import { describe, expect, it } from 'vitest';
import { TaxReport } from './tax-report.js';

function linesOf(report: TaxReport): string[] {
  return [...report.chunks()].join('').trimEnd().split('\n');
}

describe('a tax report', () => {
  it('has a head line, a line for each sale and the totals', () => {
    const report = new TaxReport({ year: 2025, rows: 1234 });
    const lines = linesOf(report);
    expect(lines).toHaveLength(1234 + 2);
    expect(lines[0]).toBe('invoice,date,customer,net,vat_percent,vat,gross');
    expect(lines[1]).toMatch(/^2025-0000001,2025-01-01,C\d{5},\d+\.\d\d,(21|10|4),\d+\.\d\d,\d+\.\d\d$/);
    expect(lines[1234]).toMatch(/^2025-0001234,2025-12-31,/);
    expect(report.rows).toBe(1234);
  });

  it('adds its lines up to the cent', () => {
    const lines = linesOf(new TaxReport({ year: 2024, rows: 5000 }));
    const sum = (column: number): number =>
      lines.slice(1, -1).reduce((cents, line) => cents + Math.round(Number(line.split(',')[column]) * 100), 0);
    const totals = lines.at(-1)?.split(',') ?? [];
    expect([3, 5, 6].map((column) => Math.round(Number(totals[column]) * 100))).toEqual([3, 5, 6].map(sum));
  });

  it('gives the same bytes for the same request, and others for another year', () => {
    expect(linesOf(new TaxReport({ year: 2025, rows: 100 }))).toEqual(
      linesOf(new TaxReport({ year: 2025, rows: 100 })),
    );
    expect(linesOf(new TaxReport({ year: 2025, rows: 100 }))).not.toEqual(
      linesOf(new TaxReport({ year: 2024, rows: 100 })),
    );
  });

  it('comes in chunks of bounded size', () => {
    const longest = Math.max(...[...new TaxReport({ year: 2025, rows: 20_000 }).chunks()].map((chunk) => chunk.length));
    expect(longest).toBeLessThan(64 * 1024);
  });

  it('names every day of a leap year', () => {
    const days = new Set(
      linesOf(new TaxReport({ year: 2024, rows: 3660 }))
        .slice(1, -1)
        .map((line) => line.split(',')[1]),
    );
    expect(days.size).toBe(366);
  });
});
