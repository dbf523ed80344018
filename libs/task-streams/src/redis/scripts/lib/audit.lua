-- What people did to a queue: a bounded stream, `audit`. An action of many steps has one record, which each step replaces
-- by one with the new counts, so that it is right whatever dies in between.
local MAX_AUDIT_RECORDS, AUDIT_SIZE = 10000, 7

-- ARGV[i] on: earlier record of this action or '', action, actor, reason, scope, operation, counts so far as JSON.
-- `tally` is added to the counts. Answers the id of the record.
local function record_action(i, tally)
  local counts = cjson.decode(ARGV[i + 6])
  for what, number in pairs(tally) do counts[what] = (counts[what] or 0) + number end
  local id = call('XADD', base .. 'audit', 'MAXLEN', '~', MAX_AUDIT_RECORDS, '*', 'action', ARGV[i + 1], 'actor', ARGV[i + 2],
    'reason', ARGV[i + 3], 'scope', ARGV[i + 4], 'operation', ARGV[i + 5],
    'counts', next(counts) and cjson.encode(counts) or '{}', 'at', now_ms())
  if ARGV[i] ~= '' then call('XDEL', base .. 'audit', ARGV[i]) end
  return id
end
