#!lua
-- Gives a task that waits for a time another time, or lets it run now.
-- KEYS[1] stream
-- ARGV    task id, delay ms, run at ms; both 0 for now
-- returns { rescheduled, due ms, name } or { promoted, '0', name }; { not-delayed, state }, { unknown, '' } where there is nothing to do
-- Atomic: a task that is promoted is in the stream before it leaves the delayed set.
--@include keys
--@include record
--@include owners
--@include entry
--@include due
local task_id, now = ARGV[1], now_ms()
local rec = read_record(task_id)
if not rec then return { 'unknown', '' } end
if rec.state ~= 'delayed' and rec.state ~= 'retrying' then
  return { 'not-delayed', rec.state == 'waiting' and owner_of(rec.entry) and 'active' or rec.state }
end
local due = due_time(ARGV[2], ARGV[3], now)
if not due then
  local body = call('GET', body_key(task_id))
  if not body then error('the payload of ' .. task_id .. ' is gone') end
  if not move_due(task_id, rec, body) then return { 'not-delayed', rec.state } end
  return { 'promoted', '0', rec.name }
end
rec.ended = due
call('ZADD', delayed_key, due, task_id)
write_record(task_id, rec)
return { 'rescheduled', due, rec.name }
