--@include record
--@include entry
--@include wake
-- The one way in for a task that has a record: a retry or a deferral without a delay, one that is due, one that is redriven. A new
-- task comes in by append_task (lib/append.lua), which writes the shorter record of what was never tried.
local function admit(task_id, rec, fields)
  leave_mark()
  rec.state, rec.ended, rec.entry = 'waiting', '0', append_entry(stream, fields)
  write_record(task_id, rec)
  return rec.entry
end
