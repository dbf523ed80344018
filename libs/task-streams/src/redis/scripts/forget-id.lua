#!lua flags=allow-oom
-- Forgets the id of a task that has ended, so that a new task can have it. Safe to repeat.
-- KEYS[1] stream
-- ARGV    task id
-- returns { forgotten | busy | unknown, state it was in or '' }; busy where it can still run, a dead letter that is there included
--@include keys
--@include record
--@include owners
--@include entry
local task_id = ARGV[1]
local rec = read_record(task_id)
if not rec then return { 'unknown', '' } end
local has_letter = rec.state == 'dead' and rec.entry ~= '-' and read_entry(dead_key, rec.entry)
if rec.state == 'waiting' and owner_of(rec.entry) then rec.state = 'active' end
local can_run = rec.state == 'waiting' or rec.state == 'active' or rec.state == 'delayed' or rec.state == 'retrying'
if has_letter or can_run then return { 'busy', rec.state } end
call('DEL', record_key(task_id), log_key(task_id))
return { 'forgotten', rec.state }
