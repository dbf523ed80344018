-- Deliveries whose lease expired.

-- Of the pending entries behind the cursor: those whose lease expired, how often each was delivered, their owners, where
-- to go on, and how long a silence still keeps one.
local function expired_leases(cursor, most, own_lease_ms, silences)
  local LOOKED_AT = 10 * most
  local rows = call('XPENDING', stream, GROUP, cursor == '0-0' and '-' or '(' .. cursor, '+', LOOKED_AT)
  local found = { ids = {}, counts = {}, owners = {}, silences = silences, cursor = '0-0', wait_ms = 0 }
  if #rows == 0 then return found end
  local ids = {}
  for i, row in ipairs(rows) do ids[i] = row[1] end
  local owners = call('HMGET', owners_key, unpack(ids))
  for i, row in ipairs(rows) do
    local entry, idle_ms = row[1], row[3]
    local lease_ms = lease_in(owners[i]) or own_lease_ms
    local left_ms = idle_ms >= HANDED_BACK_IDLE_MS and 0 or lease_ms - used_ms(idle_ms, lease_ms, silences)
    if left_ms <= 0 then
      found.ids[#found.ids + 1], found.counts[entry], found.owners[entry] = entry, row[4], owners[i]
    elseif idle_ms >= lease_ms and (found.wait_ms == 0 or left_ms < found.wait_ms) then
      found.wait_ms = math.ceil(left_ms)
    end
    if #found.ids == most and i < #rows then
      found.cursor = entry
      return found
    end
  end
  if #rows == LOOKED_AT then found.cursor = ids[#ids] end
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
