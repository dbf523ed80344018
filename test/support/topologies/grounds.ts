import type { TestRedis, TestRedisOptions } from '../redis-server.js';

/** What a set of servers is started with: by a test, or by a chaos run. */
export interface Grounds {
  /** Starts one server; the one that gives this function ends it. */
  start(options: TestRedisOptions): Promise<TestRedis>;
  /** Rejects where the probe does not answer true in time; one that throws counts as not yet. */
  until(what: string, probe: () => Promise<boolean> | boolean, timeoutMs: number): Promise<void>;
  /** Called in reverse order when it is over. */
  onClose(close: () => Promise<unknown>): void;
}

/** How long servers may need to find each other. */
export const FORM_MS = 30_000;
