#!lua flags=allow-oom
-- Pauses a queue, or resumes it. Kept until somebody resumes it, whatever restarts. Safe to repeat: the first pause stands.
-- KEYS[1] stream
-- ARGV    who and why as JSON, without the time; '' to resume
-- returns 1 where that changed something, 0 where it was so already
-- It holds from here on: nothing is delivered (lib/claim_all.lua). Workers hear of it with their promoter (promote.lua) and before
-- they fetch for the first time (ensure.lua), and ask no more.
--@include keys
--@include wake
if ARGV[1] == '' then
  leave_mark()
  return call('HDEL', meta_key(), 'paused')
end
return call('HSETNX', meta_key(), 'paused', dated(ARGV[1], now_ms()))
