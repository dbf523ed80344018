import { setTimeout as delay } from 'node:timers/promises';
import type { Done, Order } from './orders.js';
import type { HandlerWork } from './plan.js';

const WAIT_MS = 100;
const FAIL_EVERY = 10;

/** Runs the handler of every side and counts what it did, by order number. */
export class Ledger {
  readonly endings: Uint8Array;
  #endedCount = 0;
  readonly #attempts: Uint8Array;
  readonly #work: HandlerWork;
  #watched: { readonly count: number; readonly reached: () => void } | undefined;
  onStart: (() => void) | undefined;

  constructor(count: number, work: HandlerWork) {
    this.endings = new Uint8Array(count);
    this.#attempts = new Uint8Array(count);
    this.#work = work;
  }

  /** Tasks that ended well so far. */
  get endedCount(): number {
    return this.#endedCount;
  }

  /** The handler. A property, because the sides pass it around. */
  readonly handle = async (order: Order): Promise<Done> => {
    this.onStart?.();
    const attempt = (this.#attempts[order.orderId] ?? 0) + 1;
    this.#attempts[order.orderId] = attempt;
    if (this.#work === 'fail-some' && attempt === 1 && order.orderId % FAIL_EVERY === 0) {
      throw new Error(`Order ${order.orderId} fails once`);
    }
    if (this.#work === 'wait') await delay(WAIT_MS);
    this.endings[order.orderId] = (this.endings[order.orderId] ?? 0) + 1;
    this.#endedCount += 1;
    if (this.#watched?.count === this.#endedCount) this.#watched.reached();
    return { ok: true };
  };

  /** Resolves in the handler of that many tasks. Call it before the work begins. */
  reaches(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#watched = { count, reached: resolve };
    });
  }
}
