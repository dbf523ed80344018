#!lua flags=allow-oom
-- Deletes dead letters for good. The record of the task goes on saying that it is dead, unless its id is to be forgotten.
-- KEYS[1] stream
-- ARGV    number of the batch, the record of the action (7, see lib/audit.lua), 1 where ids are forgotten, then the
--         entries of the dead-letter stream
-- returns { audit record, replies }, one reply a letter: { discarded }, { gone }, or { error, text }
-- Atomic for each letter: it and its place in the counts go together. Safe to repeat.
--@include keys
--@include record
--@include entry
--@include letters
--@include audit
--@include operation
-- Before the letter goes: one whose record cannot be read stays. The record of an imported letter names none.
local function forget(task_id, letter)
  local rec = task_id ~= '' and read_record(task_id)
  if not rec or rec.state ~= 'dead' then return end
  if rec.entry == letter or rec.entry == '-' then call('DEL', record_key(task_id), log_key(task_id)) end
end

return run_batch(places_from(10, 1), function(i)
  local letter = read_entry(dead_key, ARGV[i])
  if not letter then return { 'gone' } end
  if ARGV[9] == '1' then forget(identity_of(letter), ARGV[i]) end
  remove_letter(ARGV[i], letter)
  count_letters('discarded', 1)
  return { 'discarded' }
end)
