#!lua flags=allow-oom
-- Makes sure of the consumer group and of the mark of the format, and refuses a queue that another release keeps in a
-- format of its own. A script, because XGROUP CREATE by itself is refused on a full Redis, even where the
-- group is there, and a worker that starts then is the one that can empty it.
-- KEYS[1] stream
-- ARGV    the oldest and the newest version of the format that this worker knows
-- returns { 1 when the group was made, 0 when it was there, 1 where the queue is paused }; the error OLDERFORMAT or
--         NEWERFORMAT
-- At 0: whatever lies in the stream is still to be done, because settled entries are deleted.
--@include keys
local version = call('HGET', meta_key(), 'v')
local number = version and (tonumber(version) or math.huge)
local word = number and (number > tonumber(ARGV[2]) and 'NEWER' or number < tonumber(ARGV[1]) and 'OLDER')
if word then
  return { err = word .. 'FORMAT the queue is kept in format ' .. version .. ', known are formats ' .. ARGV[1] .. ' to ' .. ARGV[2] }
end
if not version then call('HSET', meta_key(), 'v', ARGV[2]) end
local made = redis.pcall('XGROUP', 'CREATE', stream, GROUP, '0', 'MKSTREAM')
if made.err and not string.find(made.err, 'BUSYGROUP', 1, true) then return made end
return { made.err and 0 or 1, call('HEXISTS', meta_key(), 'paused') }
