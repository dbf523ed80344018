import { showNumber, showSpan } from './format.js';
import type { Output } from './output.js';

const LINE_EVERY_MS = 3_000;
const BAR_WIDTH = 24;

/** How far something is, in counts. */
export interface ProgressCounts {
  readonly done: number;
  readonly refused: number;
  readonly failed: number;
}

/**
 * Shows how far a long action is, beside the answer: a bar that is drawn anew on a terminal, a line each three seconds
 * elsewhere.
 */
export class Progress {
  private readonly startedAt: number;
  private saidAt: number;

  /**
   * @param total Of how many; `undefined` where nobody counted.
   * @param now A clock in milliseconds.
   */
  constructor(
    private readonly out: Output,
    private readonly verb: string,
    private readonly total: number | undefined,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.startedAt = this.saidAt = now();
  }

  show(counts: ProgressCounts): void {
    if (this.out.isNoteTerminal) {
      this.out.renote(this.text(counts, true));
      return;
    }
    if (this.now() - this.saidAt < LINE_EVERY_MS) return;
    this.saidAt = this.now();
    this.out.note(this.text(counts, false));
  }

  /** Leaves the line of the bar. */
  end(): void {
    if (this.out.isNoteTerminal) this.out.renote('');
  }

  private text({ done, refused, failed }: ProgressCounts, hasBar: boolean): string {
    const seen = done + refused + failed;
    const of = this.total === undefined ? '' : ` of ${showNumber(this.total)}`;
    const parts = [
      `${showNumber(done)} ${this.verb}`,
      ...(refused > 0 ? [`${showNumber(refused)} refused`] : []),
      ...(failed > 0 ? [`${showNumber(failed)} failed`] : []),
      ...this.rest(seen),
    ];
    const bar = hasBar && this.total ? `${bars(seen / this.total)} ` : '';
    return `${bar}${showNumber(seen)}${of}: ${parts.join(', ')}`;
  }

  private rest(seen: number): string[] {
    const elapsedMs = this.now() - this.startedAt;
    if (this.total === undefined || seen === 0 || seen >= this.total || elapsedMs < 1_000) return [];
    return [`about ${showSpan((elapsedMs / seen) * (this.total - seen))} left`];
  }
}

function bars(part: number): string {
  const full = Math.round(Math.min(1, part) * BAR_WIDTH);
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_WIDTH - full)}]`;
}
