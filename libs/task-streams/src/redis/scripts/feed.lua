#!lua flags=allow-oom
-- Hands one dead letter out to a reader: one that was handed out and not finished for long, else a new one.
-- KEYS[1] stream
-- ARGV    group, consumer, idle ms, cursor, where a group that is not there begins ($ or 0)
-- returns { next cursor, letter or '', hand-outs }
-- The consumer group belongs to the reader; the letter stays in the stream, whatever becomes of it here.
--@include keys
local group, consumer = ARGV[1], ARGV[2]
local made = redis.pcall('XGROUP', 'CREATE', dead_key, group, ARGV[5], 'MKSTREAM')
if made.err and not string.find(made.err, 'BUSYGROUP', 1, true) then return made end

-- Letters that are gone are dropped from the pending ones by this command itself.
local late = call('XAUTOCLAIM', dead_key, group, consumer, ARGV[3], ARGV[4], 'COUNT', 1)
if late[2][1] then
  local letter = late[2][1][1]
  return { late[1], letter, call('XPENDING', dead_key, group, letter, letter, 1)[1][4] }
end
local fresh = call('XREADGROUP', 'GROUP', group, consumer, 'COUNT', 1, 'STREAMS', dead_key, '>')
if not fresh then return { late[1], '', 0 } end
return { late[1], fresh[1][2][1][1], 1 }
