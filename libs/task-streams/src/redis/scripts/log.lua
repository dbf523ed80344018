#!lua
-- Adds lines to the log of a task and keeps the last ones.
-- KEYS[1] stream
-- ARGV    task id, lines kept, ms the log is kept after its last line, then the lines
-- returns nothing
--@include keys
local key = log_key(ARGV[1])
call('RPUSH', key, unpack(ARGV, 4))
call('LTRIM', key, -tonumber(ARGV[2]), -1)
call('PEXPIRE', key, ARGV[3])
