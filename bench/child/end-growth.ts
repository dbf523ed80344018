import type { Redis } from 'ioredis';

/** Keys that are looked up in one call. */
const PART = 50_000;

/**
 * Lets Redis end the growing of its table of keys. A table that has doubled is moved bit by bit, a bucket at each access: a
 * million keys that came just before the clock starts would be moved by the first million accesses of what is measured, and
 * whether they are depends on nothing but whether the number of keys has just passed a power of two.
 */
export async function endGrowthOfTables(redis: Redis): Promise<void> {
  for (let left = await redis.dbsize(); left > 0; left -= PART) {
    await redis.eval("for i = 1, tonumber(ARGV[1]) do redis.call('EXISTS', KEYS[1]) end", 1, 'no-such-key', PART);
  }
}
