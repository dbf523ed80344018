#!lua flags=allow-oom
-- Claims an idempotency key for a running task, if the caller still owns the task.
-- KEYS[1] stream
-- ARGV    entry, task id, token, scope
-- returns { won | replay | busy | conflict, detail } as lib/lock.lua, or { lost }
--@include keys
--@include record
--@include owners
--@include lock
if owner_of(ARGV[1]) ~= ARGV[3] then return { 'lost' } end
local rec = read_record(ARGV[2])
local claim, detail = claim_lock(ARGV[4], ARGV[1], ARGV[3], rec and hash_of(rec) or '-')
return { claim, detail }
