--@include names
--@include owners
--@include heartbeat
--@include tombstone
-- Deliveries whose lease expired.

-- How long this very script has stood still, because its server did: the idle times of Redis tell of that, and its one time does
-- not. Asked for after them, so that it is never too short.
local function stood_still_ms()
  local time = call('TIME')
  return math.max(time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(now_ms()), 0)
end

-- Notes those of some pending entries whose lease expired, up to `most`. Answers the entry where it has enough.
local function note_expired(found, rows, most, own_lease_ms)
  local ids = {}
  for i, row in ipairs(rows) do ids[i] = row[1] end
  local owners, still_ms = call('HMGET', owners_key, unpack(ids)), stood_still_ms()
  for i, row in ipairs(rows) do
    local entry, idle_ms = row[1], row[3] < RELEASED_IDLE_MS and row[3] - still_ms or row[3]
    local lease_ms = lease_in(owners[i]) or own_lease_ms
    local left_ms = idle_ms >= RELEASED_IDLE_MS and 0 or lease_ms - used_ms(idle_ms, lease_ms, found.silences)
    if left_ms <= 0 then
      found.ids[#found.ids + 1], found.counts[entry], found.owners[entry] = entry, row[4], owners[i]
    elseif idle_ms >= lease_ms and (found.wait_ms == 0 or left_ms < found.wait_ms) then
      found.wait_ms = math.ceil(left_ms)
    end
    if #found.ids == most then return entry end
  end
end

-- Of the pending entries behind the cursor: those whose lease expired, how often each was delivered, their owners, where
-- to go on, and how long a silence still keeps one. Reads some at a time, because most often the first are enough.
local function expired_leases(cursor, most, own_lease_ms, silences)
  local PARTS, part_size = 10, math.max(most, 10)
  local found = { ids = {}, counts = {}, owners = {}, silences = silences, cursor = cursor, wait_ms = 0 }
  for _ = 1, PARTS do
    local from = found.cursor == '0-0' and '-' or '(' .. found.cursor
    local rows = call('XPENDING', stream, GROUP, from, '+', part_size)
    local last = #rows > 0 and note_expired(found, rows, most, own_lease_ms)
    found.cursor = last or (#rows == part_size and rows[part_size][1]) or '0-0'
    if last or found.cursor == '0-0' then break end
  end
  return found
end

-- Claims them for the consumer. Answers the entries, and the ids of those whose payload somebody deleted.
local function claim_expired(consumer, ids)
  if #ids == 0 then return {}, {} end
  local entries, gone, is_there = call('XCLAIM', stream, GROUP, consumer, 0, unpack(ids)), {}, {}
  for _, row in ipairs(entries) do is_there[row[1]] = true end
  for _, id in ipairs(ids) do if not is_there[id] then gone[#gone + 1] = id end end
  return entries, gone
end

-- Buries tasks whose payload was deleted while they ran, and whose worker has not been heard of for a lease (lib/deleted.lua).
-- Some at a time. Answers how many.
local function bury_deleted(worker, keep_ms, silences)
  local SOME, buried = 20, 0
  for _, entry in ipairs(call('HRANDFIELD', deleted_key(), SOME)) do
    local renewed_at, token = match(call('HGET', deleted_key(), entry), '^(%d+) (%S+)$')
    local owner = call('HGET', owners_key, entry)
    local lease_ms = lease_in(owner) or 0
    if token_in(owner) ~= token then
      call('HDEL', deleted_key(), entry)
    elseif used_ms(tonumber(now_ms()) - tonumber(renewed_at), lease_ms, silences) >= lease_ms then
      bury(task_in(owner), entry, worker, keep_ms)
      call('HDEL', owners_key, entry)
      call('HDEL', deleted_key(), entry)
      buried = buried + 1
    end
  end
  return buried
end
