import type { ShopClient } from './shop-client.js';

/** What the smoke run knows of the shop it looks at. */
export interface Surroundings {
  readonly shop: ShopClient;
  /** The processes of the workers that run now. */
  readonly workerPids: () => Promise<readonly number[]>;
}

/** One thing the shop promises. */
export interface Step {
  readonly promise: string;
  /** Looks whether it holds and answers what was seen. */
  readonly check: (surroundings: Surroundings) => Promise<string>;
}

/** Throws, with what was seen, unless a promise holds. */
export function expectThat(holds: boolean, expected: string, seen: unknown): asserts holds {
  if (!holds) throw new Error(`Expected ${expected}; seen: ${JSON.stringify(seen)}`);
}
