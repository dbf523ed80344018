--@include admit
-- Moves a delayed task into the stream. One that a drain under way is to take is cancelled instead: answers false.
--@include drain
--@include cancelling
local function move_due(task_id, rec, body)
  local mark, packed = split_body(body)
  local drain = drain_under_way()
  if drain and mark < drain.bound then
    if rec then cancel_record(task_id, rec, now_ms(), drain.request, drain.keep) end
    forget_delayed(task_id)
    drain.taken = drain.taken + 1
    write_drain(drain)
    return false
  end
  local fields = cmsgpack.unpack(packed)
  if rec then
    admit(task_id, rec, fields)
  else
    leave_mark()
    append_entry(stream, fields)
  end
  forget_delayed(task_id)
  return true
end
