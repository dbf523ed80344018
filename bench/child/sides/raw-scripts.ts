/**
 * Settles, hands out and claims in one call. A task is claimed by a marker of its own, which becomes its result.
 *
 * KEYS stream · ARGV consumer, token, lease ms, kept s, count, prefix of markers, then entry, task id and result in turn ·
 * returns entry, task id and body in turn
 */
export const TURN = `
local stream, ids = KEYS[1], {}
for i = 7, #ARGV, 3 do
  local marker = ARGV[6] .. ARGV[i + 1]
  if redis.call('GET', marker) == ARGV[2] then
    redis.call('SET', marker, ARGV[i + 2], 'EX', ARGV[4])
    ids[#ids + 1] = ARGV[i]
  end
end
if #ids > 0 then
  redis.call('XACK', stream, 'workers', unpack(ids))
  redis.call('XDEL', stream, unpack(ids))
end
local claimed = {}
if ARGV[5] == '0' then return claimed end
local reply = redis.call('XREADGROUP', 'GROUP', 'workers', ARGV[1], 'COUNT', ARGV[5], 'STREAMS', stream, '>')
if not reply then return claimed end
for _, entry in ipairs(reply[1][2]) do
  local fields = entry[2]
  if not redis.call('SET', ARGV[6] .. fields[2], ARGV[2], 'NX', 'GET', 'PX', ARGV[3]) then
    local n = #claimed
    claimed[n + 1], claimed[n + 2], claimed[n + 3] = entry[1], fields[2], fields[4]
  end
end
return claimed`;

/** Claims what a blocking read brought. KEYS stream · ARGV token, lease ms, prefix, task ids · returns 1 or 0 for each */
export const CLAIM = `
local won = {}
for i = 4, #ARGV do
  won[i - 3] = redis.call('SET', ARGV[3] .. ARGV[i], ARGV[1], 'NX', 'GET', 'PX', ARGV[2]) and 0 or 1
end
return won`;

/** Appends tasks. KEYS stream · ARGV task id and body in turn */
export const APPEND = `
for i = 1, #ARGV, 2 do redis.call('XADD', KEYS[1], '*', 'id', ARGV[i], 'body', ARGV[i + 1]) end
return #ARGV / 2`;
