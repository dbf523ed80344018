import type { ExportTaxes } from './export-taxes.task.js';
import { daysOf, euros, saleOf } from './sale.js';

const HEADER = 'invoice,date,customer,net,vat_percent,vat,gross\n';
const LINES_PER_CHUNK = 500;

/**
 * The sales of a year as CSV, a chunk at a time, so that a report of any length takes the same memory. The same request
 * gives the same bytes: an export that is run again after its worker died ends in the same file.
 */
export class TaxReport {
  rows = 0;
  netCents = 0;
  vatCents = 0;

  readonly #days: readonly string[];

  constructor(private readonly request: ExportTaxes) {
    this.#days = daysOf(request.year);
  }

  /** Whole per cents of the lines that were made so far. */
  get percent(): number {
    return Math.floor((this.rows * 100) / this.request.rows);
  }

  /** A head line, a line for each sale, and a line with the totals. */
  *chunks(): Generator<string> {
    yield HEADER;
    while (this.rows < this.request.rows) yield this.#nextChunk();
    yield `TOTAL,,,${euros(this.netCents)},,${euros(this.vatCents)},${euros(this.netCents + this.vatCents)}\n`;
  }

  #nextChunk(): string {
    const end = Math.min(this.rows + LINES_PER_CHUNK, this.request.rows);
    let chunk = '';
    for (; this.rows < end; this.rows++) chunk += this.#line(this.rows);
    return chunk;
  }

  #line(row: number): string {
    const { year, rows } = this.request;
    const { customer, netCents, vatPercent } = saleOf(year, row);
    const vatCents = Math.round((netCents * vatPercent) / 100);
    this.netCents += netCents;
    this.vatCents += vatCents;
    const day = this.#days[Math.floor((row * this.#days.length) / rows)];
    const invoice = `${year}-${String(row + 1).padStart(7, '0')}`;
    return `${invoice},${day},${customer},${euros(netCents)},${vatPercent},${euros(vatCents)},${euros(netCents + vatCents)}\n`;
  }
}
