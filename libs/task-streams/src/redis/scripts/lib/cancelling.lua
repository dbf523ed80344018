-- The record of a task that is cancelled while nobody runs it. With keep '0' nothing is left of the task.
local function cancel_record(task_id, rec, now, request, keep)
  rec.state, rec.ended, rec.entry, rec.tail = 'cancelled', now, '-', 'c' .. request
  write_record(task_id, rec, keep)
  if keep == '0' then call('DEL', log_key(task_id)) end
end
