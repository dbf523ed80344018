#!lua flags=allow-oom
-- Hands out up to `count` waiting tasks and claims them. Allowed on a full Redis, so that it can be emptied.
-- KEYS[1] stream
-- ARGV    consumer, count, token, lease ms
-- returns { now, { { entry, task id, deliveries, enqueued at, key claim, detail, fields, hash }, ... } }
-- Atomic: an entry that was handed out carries its owner's token.
--@include keys
--@include record
--@include lock
--@include entry
--@include claim
local reply = redis.call('XREADGROUP', 'GROUP', GROUP, ARGV[1], 'COUNT', ARGV[2], 'STREAMS', stream, '>')
if not reply then return { whole(now_ms()), {} } end
return claim_all(reply[1][2], function() return 1 end, ARGV[3], ARGV[4])
