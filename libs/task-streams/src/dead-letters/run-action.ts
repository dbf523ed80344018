import type { Broker } from '../contracts/broker.interface.js';
import type { AuditAction } from '../contracts/queue-store.interface.js';
import type { DeadLetterBatch, DeadLetterBatchReply } from '../contracts/dead-letter-store.interface.js';
import type { DeadLetter } from '../task/dead-letter.js';
import { RedisUnavailableError } from '../task/redis-unavailable.error.js';
import type { LetterActionOptions, LetterActionReport, LetterProblem, LetterRefusal } from './letter-action.js';
import { LetterTally } from './letter-action.js';
import { Pace, pauseFor } from './pace.js';
import { selectLetters } from './select-letters.js';
import type { DeadLetterSelection } from './dead-letter-query.js';

/** Where letters are, and where it is written down what is done to them. */
export type LetterStores = Pick<Broker, 'deadLetters' | 'queues'>;

type Reply = { readonly kind: string; readonly detail?: string };

/** An action on many letters: what is decided about each, and how a batch of decisions is carried out. */
export interface LetterWork<T> {
  readonly action: AuditAction;
  readonly doneKind: 'moved' | 'discarded';
  decide(letter: DeadLetter): Promise<{ readonly plan: T } | LetterProblem>;
  send(batch: DeadLetterBatch<T>): Promise<DeadLetterBatchReply<Reply>>;
  /** Hears once what it came to, where it was stopped or failed on its way too; not where no letter was selected. */
  onEnd?(report: LetterActionReport): void;
}

/** How often, and for how long at first, a batch is sent again when Redis does not answer. */
const TRIES = 6;
const FIRST_PAUSE_MS = 250;

/** Carries an action out, batch by batch, oldest letter first. Yields a report after each; the last one is the answer. */
export async function* runAction<T>(
  stores: LetterStores,
  queue: string,
  selection: DeadLetterSelection,
  work: LetterWork<T>,
  options: LetterActionOptions & { readonly ratePerSecond: number },
): AsyncGenerator<LetterActionReport, LetterActionReport> {
  const run = new ActionRun(stores, queue, work, options.signal);
  const pace = new Pace(options.ratePerSecond);
  try {
    for await (const step of selectLetters(stores.deadLetters, queue, selection, options.cursor)) {
      step.missing.forEach((entryId) => run.missing(entryId));
      for (let i = 0; i < step.letters.length; i += pace.batchSize) {
        const letters = step.letters.slice(i, i + pace.batchSize);
        await pauseFor(pace.take(letters.length), options.signal);
        if (options.signal?.aborted) return await run.end(step.cursorBefore(letters[0] as DeadLetter));
        await run.batch(letters);
        yield run.report(step.cursorAfter(letters.at(-1) as DeadLetter));
      }
      if (options.signal?.aborted) return await run.end(step.cursor);
    }
    return await run.end(undefined);
  } finally {
    run.tellEnd();
  }
}

/** Goes through all steps, and tells of each. */
export async function lastOf(
  steps: AsyncGenerator<LetterActionReport, LetterActionReport>,
  { onProgress }: LetterActionOptions,
): Promise<LetterActionReport> {
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
    onProgress?.(step.value);
  }
}

class ActionRun<T> {
  private readonly tally: LetterTally;
  private number = 0;
  private auditId: string | undefined;
  private audited = '';

  constructor(
    private readonly stores: LetterStores,
    private readonly queue: string,
    private readonly work: LetterWork<T>,
    private readonly signal: AbortSignal | undefined,
  ) {
    this.tally = new LetterTally(work.action.operation);
  }

  missing(entryId: string): void {
    this.tally.addProblem({ entryId, taskId: '', reason: 'gone', detail: 'there is no such dead letter' });
  }

  async batch(letters: readonly DeadLetter[]): Promise<void> {
    const planned: { readonly letter: DeadLetter; readonly plan: T }[] = [];
    for (const letter of letters) {
      const decision = await this.work.decide(letter);
      if ('plan' in decision) planned.push({ letter, plan: decision.plan });
      else this.tally.addProblem(decision);
    }
    if (planned.length === 0) return;
    this.number += 1;
    const counts = this.counts();
    const items = planned.map(({ plan }) => plan);
    const batch = { action: this.work.action, number: this.number, auditId: this.auditId, counts, items };
    const { auditId, replies } = await this.persist(() => this.work.send(batch));
    this.auditId = auditId;
    planned.forEach(({ letter }, i) => this.settle(letter, replies[i] as Reply));
    this.audited = JSON.stringify(this.counts());
  }

  report(cursor: string | undefined): LetterActionReport {
    return this.tally.report(cursor);
  }

  /** Writes down what the last batch could not know. */
  async end(cursor: string | undefined): Promise<LetterActionReport> {
    const counts = this.counts();
    if (this.auditId === undefined || JSON.stringify(counts) !== this.audited) {
      await this.persist(() => this.stores.queues.recordAction(this.queue, this.work.action, counts, this.auditId));
    }
    return this.report(cursor);
  }

  tellEnd(): void {
    const report = this.report(undefined);
    if (report.matched > 0) this.work.onEnd?.(report);
  }

  private settle({ entryId = '', taskId }: DeadLetter, { kind, detail = '' }: Reply): void {
    if (kind === this.work.doneKind) this.tally.addDone();
    else if (kind === 'error') this.tally.addProblem({ entryId, taskId, reason: 'failed', detail });
    else this.tally.addProblem({ entryId, taskId, reason: kind as LetterRefusal, detail: '' });
  }

  private counts(): Record<string, number> {
    const { done, failed, refusals } = this.tally.report(undefined);
    const all = { [this.work.doneKind]: done, error: failed, ...refusals };
    return Object.fromEntries(Object.entries(all).filter(([, count]) => count > 0));
  }

  /** Sends again what was not answered: a batch that was carried out before gets the answer it had. */
  private async persist<R>(send: () => Promise<R>): Promise<R> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await send();
      } catch (error) {
        if (!(error instanceof RedisUnavailableError) || tries === TRIES || this.signal?.aborted) throw error;
        await pauseFor(FIRST_PAUSE_MS * 2 ** (tries - 1), this.signal);
      }
    }
  }
}
