-- A dead letter for a task whose payload somebody deleted: it says so, and who noticed. Its failure group is made as
-- policy/failure-group.ts makes them.
local function bury(head, source, worker)
  local now, _, name = now_ms(), match(head, HEAD)
  name = name or ''
  local err, message = 'PayloadDeleted', 'the payload was deleted from Redis before the task ran'
  local fingerprint = string.sub(redis.sha1hex(name .. '\n' .. err .. '\n' .. message .. '\n'), 1, 16)
  local info = cjson.encode({
    at = tonumber(now), worker = worker, failedAttempts = 0, deliveryCount = 0, fingerprint = fingerprint,
    error = { name = err, message = message },
  })
  local traits = cjson.encode({ task = name, errorName = err, message = message, frame = '', reason = 'payload-deleted' })
  local about = { 'dead.reason', 'payload-deleted', 'dead.source', source, 'dead.info', info }
  add_letter({ 'head', head }, about, fingerprint .. '\n' .. traits, now)
  count_letters('added', 1)
end
