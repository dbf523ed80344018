#!lua flags=allow-oom
-- Counts the last permitted hand-out of a task, which starts now, alone in its process.
-- KEYS[1] stream
-- ARGV    consumer, entry, token, hand-outs
-- returns 1, or 0 where the task is no longer the caller's
--@include keys
--@include owners
if owner_of(ARGV[2]) ~= ARGV[3] then return 0 end
set_hand_outs(ARGV[1], ARGV[2], tonumber(ARGV[4]), 0)
return 1
