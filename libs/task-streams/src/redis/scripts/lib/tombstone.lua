-- A dead letter for a task whose payload somebody deleted: it says so, and who noticed.
local function bury(head, source, most, worker)
  local info = cjson.encode({ at = tonumber(now_ms()), worker = worker, failedAttempts = 0, deliveryCount = 0 })
  call('XADD', dead_key, 'MAXLEN', '~', most, '*', 'head', head, 'dead.reason', 'payload-deleted', 'dead.source', source,
    'dead.info', info)
end
