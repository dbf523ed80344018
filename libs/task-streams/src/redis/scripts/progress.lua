#!lua flags=allow-oom
-- Writes the progress of a running task, if the caller still owns it.
-- KEYS[1] stream
-- ARGV    consumer, entry, task id, token, deliveries, progress as JSON
-- returns 1, or 0 where it is no longer the caller's
--@include keys
--@include record
--@include fence
local owner, rec = check_owner(ARGV[2], ARGV[3], ARGV[4], ARGV[1], ARGV[5])
if owner ~= 'own' or not rec then return 0 end
rec.tail = 'p' .. ARGV[6]
write_record(ARGV[3], rec)
return 1
