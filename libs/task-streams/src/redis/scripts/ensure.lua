#!lua flags=allow-oom
-- Makes sure of the consumer group. A script, because XGROUP CREATE by itself is refused on a full Redis, even where the
-- group is there, and a worker that starts then is the one that can empty it.
-- KEYS[1] stream
-- returns 1 when the group was made, 0 when it was there
-- At 0: whatever lies in the stream is still to be done, because settled entries are deleted.
--@include keys
local made = redis.pcall('XGROUP', 'CREATE', stream, GROUP, '0', 'MKSTREAM')
if not made.err then return 1 end
if string.find(made.err, 'BUSYGROUP', 1, true) then return 0 end
return made
