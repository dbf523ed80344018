-- The end of a task that somebody cancelled while it ran; belongs to lib/settle.lua.
-- detail: tail of the record · number: ms the record is kept
function outcomes.cancel(item, rec, now)
  end_item(item, rec, 'cancelled', now)
  call('HDEL', cancels_key(), item.entry)
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
