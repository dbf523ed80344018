#!lua flags=allow-oom
-- Writes the progress of a running task, if the caller still owns it.
-- KEYS[1] stream
-- ARGV    entry, task id, token, progress as JSON
-- returns 1, or 0 where it is no longer the caller's
--@include keys
--@include record
--@include owners
local rec = owner_of(ARGV[1]) == ARGV[3] and read_record(ARGV[2])
if not rec then return 0 end
rec.tail = 'p' .. ARGV[4]
write_record(ARGV[2], rec)
return 1
