-- When the workers of this queue were last heard of, and since when without a gap: `<since> <last>`.
-- Nobody can renew a lease while this server stands still, its clock jumps, or a replica is being promoted; afterwards
-- every lease looks lapsed and everybody is alive. So nothing is taken over until they had the time to renew.
local HEARTBEAT_TTL_S = 604800

-- Notes that a worker is alive; answers for how many milliseconds they have been heard of without a gap.
local function beat(now, lease_ms)
  now = tonumber(now)
  local since, last = match(call('GET', heartbeat_key) or '', '^(%d+) (%d+)$')
  local gap = last and now - tonumber(last)
  if not gap or gap < 0 or gap > lease_ms / 2 then since = whole(now) end
  call('SET', heartbeat_key, since .. ' ' .. whole(now), 'EX', HEARTBEAT_TTL_S)
  return now - tonumber(since)
end
