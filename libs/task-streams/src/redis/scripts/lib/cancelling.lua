--@include end
--@include names
-- The record of a task that is cancelled while nobody runs it. With keep '0' nothing is left of the task.
local function cancel_record(task_id, rec, now, request, keep)
  end_task(task_id, rec, 'cancelled', now, { tail = 'c' .. request, keep = keep })
end
