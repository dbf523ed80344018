-- The end of a task that somebody cancelled while it ran; belongs to lib/settle.lua.
-- detail: tail of the record · number: ms the record is kept
function outcomes.cancel(item, rec, now)
  ended_record(item, rec, now, 'cancelled')
  rec.entry, rec.tail = '-', item.detail
  if item.task_id ~= '' then write_record(item.task_id, rec, item.number) end
  call('HDEL', cancels_key(), item.entry)
  free_lock(item.scope, item.entry)
end

-- Whatever else than a completion a task comes to whose end was asked for, it is cancelled.
function cancels_instead(item, rec, now)
  if item.kind == 'complete' or item.kind == 'cancel' then return false end
  local mark = call('HGET', cancels_key(), item.entry)
  if not mark then return false end
  local keep, request = match(mark, '^(%d+) (.*)$')
  item.number, item.detail = keep, 'c' .. request
  outcomes.cancel(item, rec, now)
  return true
end
