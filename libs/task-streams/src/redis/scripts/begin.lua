#!lua flags=allow-oom
-- Sets the delivery count of a suspect, which starts now (policy/crash-limit.ts).
-- KEYS[1] stream
-- ARGV    consumer, entry, token, deliveries
-- returns 1, or 0 where the task is no longer the caller's
--@include keys
--@include owners
if owner_of(ARGV[2]) ~= ARGV[3] then return 0 end
set_deliveries(ARGV[1], ARGV[2], tonumber(ARGV[4]), 0)
return 1
