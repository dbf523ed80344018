#!lua flags=allow-oom
-- Removes some of the tasks that nobody runs: waiting or delayed ones, which become cancelled, or dead letters.
-- KEYS[1] stream
-- ARGV    begin, 1 where delayed tasks are to be removed, too
-- returns { last entry of the stream, last dead letter, mark of the drain or '' }
-- ARGV    waiting | delayed | dead, the most to look at, cursor as the last call answered or '', what `begin` answered for the
--         place, mark, ms the records are kept, who and why as JSON without the time
-- returns { removed, next cursor or '' at the end, the last error or '' }
-- ARGV    end, mark
-- returns how many delayed tasks others cancelled for this drain
-- Bound by what `begin` saw: entries by the last id, delayed tasks by their mark (lib/drain.lua). Atomic for each task; what was
-- handed out is left alone. A task that cannot be removed (another program wrote over its keys) keeps nobody back.
--@include keys
--@include record
--@include owners
--@include lock
--@include entry
--@include cancelling
--@include drain
local function last_of(key)
  local last = call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
  return last and last[1] or '0-0'
end
if ARGV[1] == 'begin' then return { last_of(stream), last_of(dead_key), ARGV[2] == '1' and begin_drain() or '' } end
if ARGV[1] == 'end' then return end_drain(tonumber(ARGV[2])) end

local place, most, cursor, bound = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local mark, keep, now = tonumber(ARGV[5]), ARGV[6], now_ms()
local request = dated(ARGV[7], now)
local removed, trouble = 0, ''
--@include places
if mark then renew_drain(mark, keep, request) end
places[place]()
return { removed, cursor, trouble }
