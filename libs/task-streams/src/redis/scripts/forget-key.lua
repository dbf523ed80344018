#!lua flags=allow-oom
-- Forgets that the work of an idempotency key is done, so that the next task with the key runs. A key that a running task
-- holds stays its own. Safe to repeat.
-- KEYS[1] stream
-- ARGV    scope
-- returns forgotten, busy where a task holds the key, or unknown
-- What lies there: lib/lock.lua.
--@include keys
local held = call('GET', lock_key(ARGV[1]))
if not held then return 'unknown' end
if string.sub(held, 1, 1) ~= 'D' then return 'busy' end
call('DEL', lock_key(ARGV[1]))
return 'forgotten'
