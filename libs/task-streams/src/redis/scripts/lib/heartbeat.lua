-- When the workers of this queue were last heard of, and the silences before:
--   <last> <shortest lease> <end>:<length> <end>:<length> …
-- Nobody can renew a lease while this server stands still, its clock jumps, or a replica is being promoted; afterwards
-- every lease looks expired and everybody is alive. So a lease is counted in the time in which workers were heard, and
-- workers need time to come back after a silence.
local HEARTBEAT_TTL_S, MOST_SILENCES, COMEBACK_MS = 604800, 32, 1000

local function read_heartbeat(now)
  local last, shortest, rest = match(call('GET', heartbeat_key) or '', '^(%d+) (%d+)(.*)$')
  local silences = {}
  for ending, length in string.gmatch(rest or '', ' (%d+):(%d+)') do
    -- An end in the future is from before the clock went back.
    if tonumber(ending) <= now then silences[#silences + 1] = { ending = tonumber(ending), length = tonumber(length) } end
  end
  return tonumber(last), tonumber(shortest), silences
end

-- Makes place for one more: the shortest says least.
local function drop_shortest(silences)
  if #silences < MOST_SILENCES then return end
  local least = 1
  for i = 2, #silences do if silences[i].length < silences[least].length then least = i end end
  table.remove(silences, least)
end

-- Notes that a worker is alive, and answers the silences so far.
local function beat(lease_ms)
  local now = tonumber(now_ms())
  local last, shortest, silences = read_heartbeat(now)
  shortest = math.min(shortest or lease_ms, lease_ms)
  -- Nothing is known of the time before the first beat, nor before the clock went back.
  local length = last and last <= now and now - last or now
  if length > shortest / 2 then
    drop_shortest(silences)
    silences[#silences + 1] = { ending = now, length = length }
  end
  local text = string.format('%.0f %.0f', now, shortest)
  for _, one in ipairs(silences) do text = text .. string.format(' %.0f:%.0f', one.ending, one.length) end
  call('SET', heartbeat_key, text, 'EX', HEARTBEAT_TTL_S)
  return silences
end

-- How much of its lease a delivery has used that nobody renewed for so many milliseconds. Of a silence counts what makes it
-- half a lease, so that the other half is left to renew it; of one after another a twelfth at least, so that many of them,
-- made by handlers that block their process, keep no orphan for ever.
local function used_ms(idle_ms, lease_ms, silences)
  local now = tonumber(now_ms())
  local used, at, is_late = 0, now - idle_ms, false
  for _, one in ipairs(silences) do
    if one.ending > at and one.length > lease_ms / 2 then
      local from = math.max(one.ending - one.length, at)
      local silent = one.ending - from
      used = used + from - at
      used = math.max(math.min(used + silent, lease_ms / 2), used + math.min(silent, lease_ms / 12))
      at, is_late = one.ending, true
    end
  end
  used = used + now - at
  return is_late and used - math.max(COMEBACK_MS - lease_ms / 2, 0) or used
end
