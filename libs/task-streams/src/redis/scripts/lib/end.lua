--@include record
--@include lock
-- The one way out. What hangs on the end of a task hangs here: its record, its log, the lock of its key.
--   how.entry   what its record names from then on: the entry it ended with, its dead letter, or '-'
--   how.tail    what it came to, as in lib/record.lua
--   how.keep    ms the record is kept; with '0' nothing is left of the task
--   how.by      the settlement that ended it (lib/item.lua); nil where nobody ran it
--   how.scope   the key it may hold, as the entry `how.source`; nil where its lock stays
-- The usual completion (lib/batch.lua), and what a drain cancels in bulk (lib/places.lua), write the same record in one piece.
local function end_task(task_id, rec, state, now, how)
  rec.state, rec.ended, rec.entry, rec.tail = state, now, how.entry or '-', how.tail
  if how.by then rec.token, rec.started, rec.deliveries = how.by.token, how.by.started, how.by.deliveries end
  if task_id ~= '' then write_record(task_id, rec, how.keep) end
  if task_id ~= '' and how.keep == '0' then call('DEL', log_key(task_id)) end
  if how.scope then free_lock(how.scope, how.source) end
end
