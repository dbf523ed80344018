import type { Redis } from 'ioredis';

/** Adds letters as the settling script does, by the thousand: the same fields, and groups with the right counts. */
const FILL = `
local letter
local dead, groups, first, count, kinds = KEYS[1], KEYS[2], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
for i = first, first + count - 1 do
  local group = string.format('%016x', i % kinds)
  local info = '{"reason":"timeout","error":{"name":"CardError","message":"Card ' .. i .. ' declined"},"failedAttempts":5,' ..
    '"deliveryCount":5,"firstFailedAt":1,"at":1,"worker":"w","history":[{"attempt":5,"at":1,"durationMs":1,"worker":"w",' ..
    '"error":{"name":"CardError","message":"Card ' .. i .. ' declined","stack":"' .. string.rep('at debit (debits.js) ', 15) ..
    '"}}],"redriveCount":0,"redrives":[],"fingerprint":"' .. group .. '"}'
  letter = redis.call('XADD', dead, '*', 'head', '2\\n' .. i .. '\\njob\\n\\n', 'body', '{"n":' .. i .. '}',
    'dead.reason', 'timeout', 'dead.source', i .. '-1', 'dead.info', info, 'dead.group', group)
  redis.call('HSET', groups, group, math.floor((i - i % kinds) / kinds + 1) .. ' ' .. math.floor((i - i % kinds) / kinds + 1) ..
    ' 1 1 ' .. letter .. '\\n{"task":"job","errorName":"CardError","message":"Card <n> declined","frame":"","reason":"timeout"}')
end
return letter`;

const AT_A_TIME = 5_000;

/** Fills a queue with dead letters, of so many kinds of failure. Answers the last entry of each five thousand. */
export async function fillLetters(redis: Redis, base: string, count: number, kinds = 1_000): Promise<string[]> {
  const letters: string[] = [];
  for (let i = 0; i < count; i += AT_A_TIME) {
    const part = Math.min(AT_A_TIME, count - i);
    letters.push((await redis.eval(FILL, 2, `${base}dead`, `${base}dead:groups`, i, part, kinds)) as string);
  }
  return letters;
}
