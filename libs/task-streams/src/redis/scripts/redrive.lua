#!lua
-- Puts dead letters back into their queue: same task id, counters at their start, payload as given or as it was.
-- KEYS[1] stream
-- ARGV    number of the batch, the record of the action (7, see lib/audit.lua), force (1 or 0), then for each letter:
--         entry of the dead-letter stream, meta, 1 where a payload follows, payload, its hash
-- returns { audit record, replies }, one reply a letter: { moved, new entry, task id, name }; { gone | unreadable };
--         { live } where the task is in its queue already; { succeeded } where it, or its key, is done, unless forced;
--         { error, text }
-- Atomic for each letter: the task is in its queue before the letter is removed. Safe to repeat.
--@include keys
--@include record
--@include entry
--@include lock
--@include letters
--@include redrivable
--@include admit
--@include audit
--@include operation
local force, now, SIZE = ARGV[9] == '1', now_ms(), 5

local function begin_anew(rec)
  rec.token, rec.tail, rec.failed, rec.deliveries, rec.started = '-', '', '0', '0', '0'
end

local function redrive(i)
  local verdict, letter, fields, task_id, name, scope, rec = judge(ARGV[i], force)
  if verdict ~= 'movable' then return { verdict } end
  rec = rec or new_record(name, '-', now)
  if ARGV[i + 2] == '1' then
    set_field(fields, 'body', ARGV[i + 3])
    rec.hash = ARGV[i + 4]
  end
  set_field(fields, 'meta', ARGV[i + 1])
  begin_anew(rec)
  admit(task_id, rec, fields)
  free_key(scope, letter)
  remove_letter(ARGV[i], letter)
  count_letters('redriven', 1)
  return { 'moved', rec.entry, task_id, name }
end

return run_batch(places_from(10, SIZE), redrive)
