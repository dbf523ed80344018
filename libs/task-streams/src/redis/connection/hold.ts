import { within } from '../../time/within.js';
import type { RedisClient } from './redis-client.js';

/** While a primary is about to be replaced, what is sent to it may be acknowledged and lost: so nothing is sent. */
export class Hold {
  private release: (() => void) | undefined;
  private released: Promise<void> | undefined;
  private why = '';

  get isHeld(): boolean {
    return this.released !== undefined;
  }

  begin(why: string): void {
    this.why = why;
    this.released ??= new Promise((resolve) => {
      this.release = resolve;
    });
  }

  end(): void {
    this.release?.();
    this.release = this.released = undefined;
  }

  /** Waits for its end, at most so long. Answers why it goes on, or `undefined` where it does not. */
  async wait(timeoutMs: number): Promise<Error | undefined> {
    if (!this.released) return undefined;
    await within(this.released, timeoutMs);
    return this.isHeld ? new Error(`${this.why}; nothing is sent until it is over`) : undefined;
  }
}

const HOLDS = new WeakMap<RedisClient, Hold>();

/** Lets a hold speak for a client. */
export function putUnder(hold: Hold, client: RedisClient): void {
  HOLDS.set(client, hold);
}

/** The hold that is on for a client. */
export function holdOn(client: RedisClient): Hold | undefined {
  const hold = HOLDS.get(client);
  return hold?.isHeld ? hold : undefined;
}
