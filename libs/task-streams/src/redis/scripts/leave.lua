#!lua flags=allow-oom
-- A worker says goodbye. What is still pending under it is left to its lease: reclaim.lua removes the consumer with the last.
-- KEYS[1] stream
-- ARGV    consumer
-- returns 1 when the consumer was removed, 0 when it still holds tasks
--@include keys
--@include remove_consumer
call('HDEL', workers_key(), ARGV[1])
return remove_consumer(ARGV[1])
