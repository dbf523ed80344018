#!lua flags=allow-oom
-- Claims an idempotency key for a running task, if the caller still owns the task.
-- KEYS[1] stream
-- ARGV    consumer, entry, task id, token, deliveries, scope, lease ms
-- returns { won | replay | busy | conflict, detail } as lib/lock.lua, or { lost }
--@include keys
--@include record
--@include lock
--@include fence
local owner, rec = check_owner(ARGV[2], ARGV[3], ARGV[4], ARGV[1], ARGV[5])
if owner ~= 'own' then return { 'lost' } end
local claim, detail = claim_lock(ARGV[6], ARGV[2], ARGV[4], rec and rec.hash or '-', ARGV[7])
return { claim, detail }
