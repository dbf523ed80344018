#!lua flags=allow-oom
-- Cancels a task that nobody runs; asks whoever runs it to stop. Safe to repeat: the first request stands.
-- KEYS[1] stream
-- ARGV    task id, ms the record is kept, request as JSON, without its time
-- returns { cancelled | requested | already-ended | unknown, state it was in or '', name of the task }
-- Atomic: a task is either taken out of its queue or marked, whatever its worker does meanwhile. A worker that settles it
-- later finds the mark (lib/cancelled.lua); so does a sweep that takes it over.
--@include keys
--@include record
--@include owners
--@include lock
--@include entry
--@include cancel
local task_id, now = ARGV[1], now_ms()
local rec = read_record(task_id)
if not rec then return { 'unknown', '', '' } end
local state, request = rec.state, dated(ARGV[3], now)
if state == 'delayed' or state == 'retrying' then
  cancel_record(task_id, rec, now, request, ARGV[2])
  forget_delayed(task_id)
  return { 'cancelled', state, rec.name }
end
if state ~= 'waiting' then return { 'already-ended', state, rec.name } end
if owner_of(rec.entry) then
  mark_cancel(rec.entry, request, ARGV[2])
  return { 'requested', 'active', rec.name }
end
local fields = read_entry(stream, rec.entry)
if fields then cancel_entry(rec.entry, fields, rec, now, request, ARGV[2])
else cancel_record(task_id, rec, now, request, ARGV[2]) end
return { 'cancelled', state, rec.name }
