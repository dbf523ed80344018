--@include end
--@include entry
-- A dead letter for a task whose payload somebody deleted: it says so, and who noticed. Its failure group is made as
-- policy/failure-group.ts makes them. Its record is `dead` then. A task whose record tells of another entry, or of an end,
-- has lost nothing. `source` is the entry, '-' for a delayed task; `token` that of a settler. Answers whether there is a letter.
local function bury(task_id, source, worker, keep_ms, token)
-- In here, so that a call that buries nothing does not pay for it.
--@include letters
  local now, rec = now_ms(), task_id ~= '' and read_record(task_id) or nil
  if rec and (rec.state ~= 'waiting' or rec.entry ~= source) and source ~= '-' then return false end
  local name = rec and rec.name or ''
  local err, message = 'PayloadDeleted', 'the payload was deleted from Redis before the task ended'
  local fingerprint = string.sub(redis.sha1hex(name .. '\n' .. err .. '\n' .. message .. '\n'), 1, 16)
  local info = cjson.encode({
    at = tonumber(now), worker = worker, failedAttempts = tonumber(rec and rec.failed or 0),
    deliveryCount = tonumber(rec and rec.deliveries or 0), fingerprint = fingerprint, error = { name = err, message = message },
  })
  local traits = cjson.encode({ task = name, errorName = err, message = message, frame = '', reason = 'payload-deleted' })
  local about = { 'dead.reason', 'payload-deleted', 'dead.source', source, 'dead.info', info }
  local head = '1\n' .. task_id .. '\n' .. name .. '\n\n'
  local letter = add_letter({ 'head', task_id ~= '' and head or '' }, about, fingerprint .. ' 0 ' .. err .. '\n' .. traits, now)
  count_letters('added', 1)
  if rec then
    rec.token = token or rec.token
    local tail = PAYLOAD_DELETED .. ',"message":' .. cjson.encode(message) .. '}'
    end_task(task_id, rec, 'dead', now, { entry = letter, tail = tail, keep = keep_ms })
  end
  return true
end
