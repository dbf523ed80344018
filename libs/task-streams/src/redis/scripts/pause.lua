#!lua flags=allow-oom
-- Pauses a queue, or resumes it. Kept until somebody resumes it, whatever restarts. Safe to repeat: the first pause stands.
-- KEYS[1] stream
-- ARGV    who and why as JSON, without the time; '' to resume
-- returns 1 where that changed something, 0 where it was so already
-- Workers learn of it with their promoter (promote.lua) and before they fetch for the first time (ensure.lua).
--@include keys
if ARGV[1] == '' then return call('HDEL', meta_key(), 'paused') end
return call('HSETNX', meta_key(), 'paused', dated(ARGV[1], now_ms()))
