#!lua flags=allow-oom
-- Deletes dead letters for good. The record of the task goes on saying that it is dead.
-- KEYS[1] stream
-- ARGV    number of the batch, the record of the action (7, see lib/audit.lua), then the entries of the dead-letter stream
-- returns { audit record, replies }, one reply a letter: { discarded }, { gone }, or { error, text }
-- Atomic for each letter: it and its place in the counts go together. Safe to repeat.
--@include keys
--@include entry
--@include letters
--@include audit
--@include operation
return run_batch(places_from(9, 1), function(i)
  local letter = read_entry(dead_key, ARGV[i])
  if not letter then return { 'gone' } end
  remove_letter(ARGV[i], letter)
  count_letters('discarded', 1)
  return { 'discarded' }
end)
