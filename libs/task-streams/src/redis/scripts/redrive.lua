#!lua
-- Puts a dead letter back into its queue: same task id, counters at their start, payload as given or as it was.
-- KEYS[1] stream
-- ARGV    entry of the dead-letter stream, meta, 1 where a payload follows, payload, its hash
-- returns { redriven, new entry, task id, name }, or { gone | unreadable }
-- Atomic: the task is in its queue before the dead letter is removed.
--@include keys
--@include record
--@include entry
local letter = read_entry(dead_key, ARGV[1])
if not letter then return { 'gone' } end
local fields = {}
for i = 1, #letter, 2 do
  if string.sub(letter[i], 1, 5) ~= 'dead.' then
    fields[#fields + 1] = letter[i]
    fields[#fields + 1] = letter[i + 1]
  end
end
local task_id, name = identity_of(fields)
if task_id == '' or name == '' then return { 'unreadable' } end
local rec = read_record(task_id) or new_record(name, '-', now_ms())
if ARGV[3] == '1' then
  set_field(fields, 'body', ARGV[4])
  rec.hash = ARGV[5]
end
set_field(fields, 'meta', ARGV[2])
rec.entry = append_entry(stream, fields)
rec.state, rec.token, rec.failed, rec.deliveries, rec.started, rec.ended, rec.tail = 'waiting', '-', '0', '0', '0', '0', ''
write_record(task_id, rec)
call('XDEL', dead_key, ARGV[1])
return { 'redriven', rec.entry, task_id, name }
