import type { Redis } from 'ioredis';
import type { Done, Order } from './orders.js';
import type { EndState } from './plan.js';

export type Handle = (order: Order) => Promise<Done>;

/** What a side is opened with. */
export interface SessionOptions {
  readonly port: number;
  readonly queue: string;
  readonly concurrency: number;
  /** Whether completed tasks stay on record; false is the setting of each library that keeps none. */
  readonly isKeeping: boolean;
  /** Whether a task may fail; it is then run again at once. */
  readonly isRetrying: boolean;
  readonly leaseMs: number | undefined;
  readonly handle: Handle;
}

/** A queue with a producer and a worker that has not begun. */
export interface Session {
  add(order: Order): Promise<unknown>;
  addMany(orders: readonly Order[]): Promise<unknown>;
  /** Lets the worker begin. Not awaited by the clock: what it takes is part of the work. */
  start(): void;
  close(): Promise<void>;
}

/** A library, as a user would set it up. */
export interface Side {
  open(options: SessionOptions): Promise<Session>;
  /** Tasks that are waiting, delayed or running; a cheap question, because it is asked while the clock runs. */
  unfinished(redis: Redis, queue: string): Promise<number>;
  endState(redis: Redis, queue: string): Promise<EndState>;
}
