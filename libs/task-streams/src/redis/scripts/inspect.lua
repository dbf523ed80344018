#!lua flags=no-writes
-- What metrics show of a queue. Reads no more for a long queue than for a short one; a list of consumers is as long as the
-- fleet.
-- KEYS[1] stream
-- returns { waiting, active, delayed, dead, live consumers, stale consumers, lag, ms the oldest waiting task has waited,
--         ms the oldest pending entry is idle, ms since the oldest dead letter came, who paused it as JSON or '', consumer
--         groups beside that of the workers }; -1 for a number that is not there
--@include keys
--@include record
--@include identity
--@include ages
--@include waited
--@include workers
local function pairs_of(row)
  local values = {}
  for i = 1, #row, 2 do values[row[i]] = row[i + 1] end
  return values
end

-- The group of the workers, and how many others there are.
local function groups_of_stream()
  local rows, own = call('EXISTS', stream) == 1 and call('XINFO', 'GROUPS', stream) or {}, nil
  for _, row in ipairs(rows) do
    local group = pairs_of(row)
    if group.name == GROUP then own = group end
  end
  return own, #rows - (own and 1 or 0)
end

local now = tonumber(now_ms())

-- Of the oldest letter that knows when it came; among the first, because letters may be large.
local function oldest_dead_ms()
  for _, count in ipairs({ 1, 10 }) do
    for _, letter in ipairs(call('XRANGE', dead_key, '-', '+', 'COUNT', count)) do
      local at = came_at(letter[2])
      if at then return math.max(now - at, 0) end
    end
  end
  return -1
end

local group, foreign_groups = groups_of_stream()
local live, stale, idle = 0, 0, -1
for _, worker in ipairs(workers_of_queue()) do
  if worker.is_live then live = live + 1 else stale = stale + 1 end
end
if group then
  local oldest = call('XPENDING', stream, GROUP, '-', '+', 1)[1]
  if oldest and oldest[2] ~= RELEASED then idle = oldest[3] end
end
local active, last = group and group.pending or 0, group and group['last-delivered-id'] or '0-0'
local waiting = call('XRANGE', stream, '(' .. last, '+', 'COUNT', 1)[1]
return {
  call('XLEN', stream) - active, active, call('ZCARD', delayed_key), call('XLEN', dead_key),
  live, stale, group and group.lag or -1,
  waiting and waited_ms(waiting) or -1, idle, oldest_dead_ms(),
  call('HGET', meta_key(), 'paused') or '', foreign_groups,
}
