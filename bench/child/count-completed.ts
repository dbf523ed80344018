import type { Redis } from 'ioredis';

/** Counts the string keys of a pattern whose value begins with the mark. */
export async function countCompleted(redis: Redis, pattern: string, mark: string): Promise<number> {
  let count = 0;
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', 2_000);
    cursor = next;
    const pipeline = redis.pipeline();
    for (const key of new Set(keys)) pipeline.getrange(key, 0, mark.length - 1);
    const replies = (await pipeline.exec()) ?? [];
    count += replies.filter(([, value]) => value === mark).length;
  } while (cursor !== '0');
  return count;
}
