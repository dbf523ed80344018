import { askRedis } from '../redis/index.mjs';

/** Letters a script adds in one go. */
const part = 5_000;

/** What a settlement writes for a task that failed five times: letter, record and the count of its failure group. */
const addLetters = `
local base, first, count, at = string.sub(KEYS[1], 1, -5), tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3]
local stack = string.rep('    at Debits.debit (file:///srv/app/dist/payments/debits.js:42:13)\\\\n', 12)
local group
for i = first, first + count - 1 do
  group = string.format('%016x', i % 20)
  local err = '{"name":"CardError","message":"Card ' .. i .. ' declined","stack":"' .. stack .. '"}'
  local attempt = '{"attempt":1,"at":1764547200000,"durationMs":31,"worker":"host:1:abc","error":{"name":"CardError","message":"Card ' ..
    i .. ' declined"}}'
  local info = '{"reason":"attempts-exhausted","error":' .. err .. ',"failedAttempts":5,"deliveryCount":5,' ..
    '"firstFailedAt":1764547200000,"at":' .. at .. ',"worker":"host:1:abc","history":[' ..
    string.rep(attempt .. ',', 4) .. attempt .. '],"redriveCount":0,"redrives":[],"fingerprint":"' .. group .. '"}'
  local letter = redis.call('XADD', KEYS[1], '*', 'head', '2\\npay-' .. i .. '\\npay\\n\\n',
    'body', '{"amount":' .. i .. ',"note":"' .. string.rep('x', 200) .. '"}', 'meta', '{"failedAttempts":4}',
    'dead.reason', 'attempts-exhausted', 'dead.source', i .. '-1', 'dead.info', info, 'dead.key', '',
    'dead.at', at, 'dead.group', group, 'dead.brief', group .. ' 0 CardError')
  redis.call('SET', base .. 't:pay-' .. i, 'dead ' .. at .. ' ' .. letter ..
    ' w.1 5 5 0123456789abcdef01234567 ' .. at .. ' ' .. at .. '\\npay\\ne{"name":"CardError"}', 'PX', 1209600000)
end
return group`;

/** The groups, so that a letter that goes is taken out of one, as it is always. */
const addGroups = `
for i = 0, 19 do
  redis.call('HSET', KEYS[1] .. ':groups', string.format('%016x', i), ARGV[1] .. ' ' .. ARGV[1] .. ' 1 1 -\\n{}')
end`;

/**
 * Fills a queue with dead letters of one task in 20 failure groups, about two kilobytes each.
 *
 * @param {string} redisUrl
 * @param {string} queue
 * @param {number} count
 */
export async function fillLetters(redisUrl, queue, count) {
  const dead = `ts:{${queue}}:dead`;
  const at = String(Date.now());
  await run(redisUrl, ['EVAL', addGroups, '1', dead, String(Math.ceil(count / 20))]);
  for (let first = 0; first < count; first += part) {
    await run(redisUrl, ['EVAL', addLetters, '1', dead, String(first), String(Math.min(part, count - first)), at]);
  }
}

/** @param {string} redisUrl @param {readonly string[]} command */
async function run(redisUrl, command) {
  const [reply] = await askRedis(redisUrl, [command], { timeoutMs: 60_000 });
  if (reply instanceof Error) throw reply;
}
