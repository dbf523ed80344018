import { Logger } from '@nestjs/common';
import type { TraceIds } from '../contracts/task-tracing.interface.js';
import type { Delivery } from '../contracts/work-store.interface.js';
import type { Fact, FactListener, FactName } from './fact.interface.js';
import { rowOf } from './facts.js';
import { writeLine } from './write-line.js';

/** Who writes the line. */
export interface LogSource {
  /** The name of this worker. */
  readonly consumer: string;
  readonly traceOf: ((delivery: Delivery) => TraceIds | undefined) | undefined;
}

/** Writes what a worker does to Nest's log. */
export class LoggingObserver implements FactListener {
  readonly #logger = new Logger('TaskWorker');
  /** What is in trouble now, so that an outage is two lines and not one for each try. */
  readonly #troubled = new Set<string>();

  /** @param logsUsual Write a line at level debug for each task that is enqueued, starts and completes. */
  constructor(
    private readonly logsUsual: boolean,
    private readonly source: LogSource,
  ) {}

  hears(name: FactName): boolean {
    const { say, isUsual } = rowOf(name);
    return say !== undefined && (this.logsUsual || isUsual === undefined);
  }

  tell(fact: Fact): void {
    if (this.#isKnown(fact)) return;
    const { consumer, traceOf } = this.source;
    const { delivery } = fact;
    if (delivery === undefined) writeLine(this.#logger, fact);
    else writeLine(this.#logger, fact, { consumer, ...traceOf?.(delivery) });
  }

  /** Trouble that goes on, and the end of trouble that nobody was told of. */
  #isKnown({ name, fields }: Fact): boolean {
    const { episode } = rowOf(name);
    if (episode === undefined || !('operation' in fields)) return false;
    const key = `${fields.queue}/${fields.operation}`;
    if (episode === 'ends') return !this.#troubled.delete(key);
    const isKnown = this.#troubled.has(key);
    this.#troubled.add(key);
    return isKnown;
  }
}

/** Of what a sender does, only what is usual: its failures are its own to log, and a redrive is told by the one who does it. */
export function usualLinesOf(log: LoggingObserver): FactListener {
  return { hears: (name) => rowOf(name).isUsual === true && log.hears(name), tell: (fact) => log.tell(fact) };
}
