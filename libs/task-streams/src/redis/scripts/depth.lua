#!lua flags=no-writes
-- How much lies in a queue. Reads no more for a long queue than for a short one.
-- KEYS[1] stream
-- returns { waiting, active, delayed, dead, ms the oldest waiting task has waited, who paused it as JSON or '' }
--@include keys
--@include group
--@include record
--@include identity
--@include waited
local active, last = group_of_workers()
local oldest = call('XRANGE', stream, '(' .. last, '+', 'COUNT', 1)[1]
local oldest_ms = oldest and waited_ms(oldest) or 0
return {
  call('XLEN', stream) - active, active, call('ZCARD', delayed_key), call('XLEN', dead_key), oldest_ms,
  call('HGET', meta_key(), 'paused') or '',
}
