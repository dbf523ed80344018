-- The consumer group of the workers: its pending count and the last entry it has handed out.
local function group_of_workers()
  for _, row in ipairs(call('EXISTS', stream) == 1 and call('XINFO', 'GROUPS', stream) or {}) do
    local group = {}
    for i = 1, #row, 2 do group[row[i]] = row[i + 1] end
    if group.name == GROUP then return group.pending, group['last-delivered-id'] end
  end
  return 0, '0-0'
end
