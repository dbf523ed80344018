-- Whether the caller still owns an entry. Answers own (and the record), already (it was settled with this token),
-- fenced (somebody else owns it), or gone. Without a record, owner and hand-out count in the pending list are the fence.
local function check_owner(entry, task_id, token, consumer, deliveries)
  local rec = task_id ~= '' and read_record(task_id) or nil
  if rec then
    if rec.token ~= token then return 'fenced' end
    if rec.state ~= 'active' or rec.entry ~= entry then return 'already' end
    return 'own', rec
  end
  local rows = redis.pcall('XPENDING', stream, GROUP, entry, entry, 1)
  if rows.err or not rows[1] then return 'gone' end
  if rows[1][2] ~= consumer or rows[1][4] ~= tonumber(deliveries) then return 'fenced' end
  return 'own', nil
end
