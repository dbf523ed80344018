#!lua flags=allow-oom
-- Reads the record of a task. One that says that it waits, and whose payload somebody deleted, becomes a dead letter here.
-- KEYS[1] stream
-- ARGV    task id, worker, ms the record of a dead letter is kept
-- returns { record, token of its owner or '', cancel mark or '' }, or nothing where there is no record
--@include keys
--@include record
--@include owners
--@include entry
--@include tombstone
local task_id = ARGV[1]
local text = call('GET', record_key(task_id))
local rec = text and parse_record(text)
if not rec then return text and { text, '', '' } or {} end
local token = rec.state == 'waiting' and owner_of(rec.entry)
if token then return { text, token, call('HGET', cancels_key(), rec.entry) or '' } end
if rec.state ~= 'dead' and is_lost(rec, task_id) then
  bury(task_id, rec.state == 'waiting' and rec.entry or '-', ARGV[2], ARGV[3])
  if rec.state ~= 'waiting' then forget_delayed(task_id) end
  return { call('GET', record_key(task_id)), '', '' }
end
return { text, '', '' }
