import { Logger } from '@nestjs/common';
import type { TaskHeaders } from '../task/envelope.js';
import { within } from '../time/within.js';
import type { Delivery } from './work-store.interface.js';
import type {
  ProcessedEnd,
  ProcessedTask,
  RedrivenTask,
  SentTask,
  TaskTracing,
  TraceIds,
} from './task-tracing.interface.js';

/** How long a tracing that did not run its work at once is waited for, in milliseconds. */
const START_MS = 1_000;
/** A tracing that is broken is broken for every task: it is told of once in so many milliseconds. */
const TELL_MS = 60_000;
const NO_HEADERS: TaskHeaders = Object.freeze({});

const logger = new Logger('TaskTracing');

/**
 * A tracing that cannot change what it follows. Whether it throws, rejects, hangs, forgets to run its work, runs it twice
 * or answers something else: the work is done once, and what it comes to is the answer.
 */
export function guardTracing(tracing: TaskTracing): TaskTracing;
export function guardTracing(tracing: TaskTracing | undefined): TaskTracing | undefined;
export function guardTracing(tracing: TaskTracing | undefined): TaskTracing | undefined {
  return tracing === undefined || tracing instanceof GuardedTracing ? tracing : new GuardedTracing(tracing);
}

type Method = keyof TaskTracing;

class GuardedTracing implements TaskTracing {
  #toldAt = -Infinity;

  constructor(private readonly tracing: TaskTracing) {}

  send<T>(task: SentTask, append: (headers: TaskHeaders) => Promise<T>): Promise<T> {
    const work = (headers: unknown): Promise<T> => append(plainHeaders(headers));
    return this.#around('send', (run) => this.tracing.send(task, run), work);
  }

  sendMany<T>(tasks: readonly SentTask[], append: (headers: readonly TaskHeaders[]) => Promise<T>): Promise<T> {
    const work = (list: unknown): Promise<T> => {
      const headers: readonly unknown[] = Array.isArray(list) ? list : [];
      return append(tasks.map((_, i) => plainHeaders(headers[i])));
    };
    return this.#around('sendMany', (run) => this.tracing.sendMany(tasks, run), work);
  }

  create(task: SentTask): TaskHeaders {
    return plainHeaders(this.#safely('create', () => this.tracing.create(task)));
  }

  process(task: ProcessedTask, run: () => Promise<ProcessedEnd>): Promise<ProcessedEnd> {
    return this.#around('process', (once) => this.tracing.process(task, () => once(undefined)), run);
  }

  giveUp(delivery: Delivery, end: ProcessedEnd): void {
    this.#safely('giveUp', () => this.tracing.giveUp(delivery, end));
  }

  redrive<T>(task: RedrivenTask, send: () => Promise<T>): Promise<T> {
    return this.#around('redrive', (once) => this.tracing.redrive(task, () => once(undefined)), send);
  }

  redriveMany<T>(tasks: readonly RedrivenTask[], send: () => Promise<T>): Promise<T> {
    return this.#around('redriveMany', (once) => this.tracing.redriveMany(tasks, () => once(undefined)), send);
  }

  traceOf(delivery: Delivery): TraceIds | undefined {
    return this.#safely('traceOf', () => this.tracing.traceOf(delivery));
  }

  #around<T>(
    method: Method,
    call: (once: (given: unknown) => Promise<T>) => unknown,
    work: (given: unknown) => Promise<T>,
  ): Promise<T> {
    let own: Promise<T> | undefined;
    let begin: () => void = () => undefined;
    const once = (given: unknown): Promise<T> => {
      own ??= work(given);
      begin();
      return own;
    };
    const traced = this.#safely(method, () => call(once));
    const heard = this.#hear(method, traced, () => own);
    if (own !== undefined) return own;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    return this.#late(method, Promise.race([begun, heard]), { once, isBegun: () => own !== undefined });
  }

  /** It did not run its work at once: it gets a second, and the work is done without it. */
  async #late<T>(
    method: Method,
    begun: Promise<void>,
    work: { readonly once: (given: unknown) => Promise<T>; readonly isBegun: () => boolean },
  ): Promise<T> {
    await within(begun, START_MS);
    if (!work.isBegun()) this.#tell(method, new Error('it did not run what it was given'));
    return work.once(NO_HEADERS);
  }

  /** What it rejects with is its own affair, unless it is what its work rejected with. */
  async #hear(method: Method, traced: unknown, own: () => Promise<unknown> | undefined): Promise<void> {
    try {
      await traced;
    } catch (error) {
      const ownError = await own()?.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (ownError !== error) this.#tell(method, error);
    }
  }

  #safely<T>(method: Method, call: () => T): T | undefined {
    try {
      return call();
    } catch (error) {
      this.#tell(method, error);
      return undefined;
    }
  }

  #tell(method: Method, error: unknown): void {
    const now = performance.now();
    if (now - this.#toldAt < TELL_MS) return;
    this.#toldAt = now;
    logger.error(
      `TASK_TRACING failed in ${method}(); no task is changed by it. This is told once a minute: mend it, or bind another`,
      error,
    );
  }
}

/** What an answer has of text. */
function plainHeaders(answer: unknown): TaskHeaders {
  if (typeof answer !== 'object' || answer === null) return NO_HEADERS;
  const headers = Object.entries(answer).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(headers);
}
