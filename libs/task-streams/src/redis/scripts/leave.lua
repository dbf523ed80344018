#!lua flags=allow-oom
-- Removes a consumer from the group if nothing is pending under it: removing it drops what is pending, for good.
-- KEYS[1] stream
-- ARGV    consumer
-- returns 1 when it was removed, 0 when it still holds tasks
--@include keys
if #call('XPENDING', stream, GROUP, '-', '+', 1, ARGV[1]) > 0 then return 0 end
call('XGROUP', 'DELCONSUMER', stream, GROUP, ARGV[1])
call('HDEL', workers_key(), ARGV[1])
return 1
