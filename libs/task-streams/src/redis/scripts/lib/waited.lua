--@include record
--@include identity
-- How long an entry of the stream has waited, in ms: by its id where that can be a time; else by its record; else 0.
local FIRST_TIME = 1000000000000
local function waited_ms(row)
  local now, added = tonumber(now_ms()), tonumber(match(row[1], '^%d+'))
  if added >= FIRST_TIME and added <= now then return now - added end
  local task_id = identity_of(row[2])
  local rec = task_id ~= '' and read_record(task_id)
  return math.max(now - (rec and tonumber(rec.enqueued) or now), 0)
end
