import type { History } from '../checker/history.js';
import { groupBy, isDone } from '../checker/history.js';
import type { HandlerLine, HandoutLine, SettleLine } from '../harness/ledger-lines.js';

/** One start of a handler, and what came of it. */
export interface OneRun {
  readonly id: string;
  readonly key: string;
  readonly pid: number;
  readonly attempt: number;
  readonly t: number;
  /** When its worker was handed the task, by the clock of `t`. */
  readonly handedOutAt: number;
  /** By the clock that all processes share. */
  readonly from: number;
  /** Undefined where it did not come to its end. */
  readonly to: number | undefined;
  readonly settled: SettleLine | undefined;
  /** It was no longer the owner, as far as it ever heard. */
  readonly isLost: boolean;
  /** Its effect was the first that it saw. */
  readonly isEffect: boolean;
}

const placeOf = ({
  id,
  fence,
  pid,
}: {
  readonly id: string;
  readonly fence?: string | undefined;
  readonly pid: number;
}) => `${pid} ${id} ${fence ?? ''}`;

/** All runs of a history, by task. */
export class Runs {
  readonly byTask: ReadonlyMap<string, readonly OneRun[]>;
  readonly #deliveries: ReadonlyMap<string, readonly HandoutLine[]>;
  /** Whether nobody who had a delivery kept it to a decision of its handler. */
  readonly #isLost: (delivery: HandoutLine) => boolean;

  /** @param ended Processes that ended, whoever ended them. */
  constructor(history: History, ended: ReadonlySet<number>) {
    const ends = byPlace(history.lines.filter((line): line is HandlerLine => line.kind === 'end'));
    const effects = byPlace(history.onces);
    const handedOut = new Map(history.handouts.map((line) => [placeOf(line), line.t]));
    const settles = new Map(history.settles.map((line) => [placeOf(line), line]));
    const lostAt = new Set(
      history.lines.flatMap((line) => (line.kind === 'lease-lost' || line.kind === 'abandoned' ? [placeOf(line)] : [])),
    );
    const isLost = (line: HandlerLine | HandoutLine): boolean => {
      const settled = settles.get(placeOf(line));
      const isRefused = settled?.reply === 'fenced' || settled?.reply === 'gone';
      const isUnheard = settled === undefined && ended.has(line.pid);
      return lostAt.has(placeOf(line)) || isRefused || isUnheard;
    };
    const runs = history.starts.map((line): OneRun => {
      const place = placeOf(line);
      return {
        ...line,
        handedOutAt: handedOut.get(place) ?? line.t,
        from: line.mono ?? 0,
        to: ends.get(place)?.mono,
        settled: settles.get(place),
        isLost: isLost(line),
        isEffect: effects.has(place),
      };
    });
    this.byTask = groupBy(runs, ({ id }) => id);
    this.#deliveries = groupBy(history.handouts, ({ id }) => id);
    this.#isLost = (delivery) => {
      const outcome = settles.get(placeOf(delivery))?.outcome;
      return outcome === 'release' || outcome === 'dead-letter' || isLost(delivery);
    };
  }

  of(id: string): readonly OneRun[] {
    return this.byTask.get(id) ?? [];
  }

  /**
   * Nobody who had its last entry, which is what crashes are counted for, kept it: not those either whose process died before
   * the handler was called.
   */
  wereAllLost(id: string): boolean {
    const deliveries = this.#deliveries.get(id) ?? [];
    const last = deliveries.at(-1)?.entryId;
    return last !== undefined && deliveries.every((one) => one.entryId !== last || this.#isLost(one));
  }
}

function byPlace(lines: readonly HandlerLine[]): Map<string, HandlerLine> {
  return new Map(lines.map((line) => [placeOf(line), line]));
}

/** Whether it ended its task under its own fence: then it owned it from its start to its end. */
export function wasOwner({ settled }: OneRun): boolean {
  return settled !== undefined && settled.outcome === 'complete' && isDone(settled.reply);
}
