#!lua flags=allow-oom
-- Takes over up to `count` tasks whose lease lapsed, whoever held them, this consumer included. Looks at no more than
-- ten times `count` pending entries a call; the cursor goes on from there.
-- KEYS[1] stream
-- ARGV    consumer, count, claim, lease ms, cursor, dead letters kept, worker
-- returns { now, deliveries as in turn.lua, next cursor, number of deleted payloads }
-- A pending entry whose payload somebody deleted becomes a dead letter that says so.
--@include keys
--@include record
--@include owners
--@include lock
--@include entry
--@include claim
--@include tombstone
local reply = call('XAUTOCLAIM', stream, GROUP, ARGV[1], ARGV[4], ARGV[5], 'COUNT', ARGV[2])
local claimed = claim_all(reply[2], function(entry) return pending_row(entry)[4] end, ARGV[3], ARGV[4])
local gone = reply[3]
-- XAUTOCLAIM has forgotten them already. Where the dead letters cannot be written the log still tells.
for _, entry in ipairs(gone) do guarded(bury, '', entry, ARGV[6], ARGV[7]) end
if #gone > 0 then call('HDEL', owners_key, unpack(gone)) end
return { claimed[1], claimed[2], reply[1], #gone }
