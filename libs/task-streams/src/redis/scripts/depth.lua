#!lua
-- How much lies in a queue. Reads no more for a long queue than for a short one.
-- KEYS[1] stream
-- returns { waiting, active, delayed, dead, ms the oldest waiting task has waited }
--@include keys
local active, last = 0, '0-0'
for _, row in ipairs(call('EXISTS', stream) == 1 and call('XINFO', 'GROUPS', stream) or {}) do
  local group = {}
  for i = 1, #row, 2 do group[row[i]] = row[i + 1] end
  if group.name == GROUP then active, last = group.pending, group['last-delivered-id'] end
end
local oldest = call('XRANGE', stream, '(' .. last, '+', 'COUNT', 1)[1]
local oldest_ms = oldest and math.max(tonumber(now_ms()) - tonumber(match(oldest[1], '^%d+')), 0) or 0
return {
  call('XLEN', stream) - active, active, call('ZCARD', delayed_key), call('XLEN', dead_key), oldest_ms,
}
