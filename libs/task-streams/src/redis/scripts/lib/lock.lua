-- Explicit idempotency keys, one string a key:
--   L <entry> <token> <hash>        held by a running task; lives as long as its lease
--   D <hash> <task id>\n<result>    done; lives as long as the option says
local function write_lock(scope, entry, token, hash, lease_ms)
  call('SET', lock_key(scope), 'L ' .. entry .. ' ' .. token .. ' ' .. hash, 'PX', lease_ms)
end

local function differ(hash, other) return hash ~= '-' and other ~= '-' and hash ~= other end

-- Claims the key for an entry this worker owns. Answers won, replay with the result, busy with the milliseconds left,
-- or conflict. The entry itself always gets its own key back: its earlier owner is dead or fenced.
local function claim_lock(scope, entry, token, hash, lease_ms)
  local held = call('GET', lock_key(scope))
  if held and string.sub(held, 1, 1) == 'D' then
    local done_hash, result = match(held, '^D (%S+) [^\n]*\n(.*)$')
    if differ(hash, done_hash) then return 'conflict', '' end
    return 'replay', result
  end
  if held then
    local holder, held_hash = match(held, '^L (%S+) %S+ (%S+)$')
    if holder ~= entry then
      if differ(hash, held_hash) then return 'conflict', '' end
      return 'busy', math.max(call('PTTL', lock_key(scope)), 1)
    end
  end
  write_lock(scope, entry, token, hash, lease_ms)
  return 'won', ''
end

-- Asked by the owner of the entry only, so the entry is proof enough: a sweep of our own changes the token.
local function holds_lock(scope, entry)
  local held = call('GET', lock_key(scope))
  return held and match(held, '^L (%S+) ') == entry
end

local function free_lock(scope, entry)
  if scope ~= '' and holds_lock(scope, entry) then call('DEL', lock_key(scope)) end
end

local function renew_lock(scope, entry, lease_ms)
  if scope ~= '' and holds_lock(scope, entry) then call('PEXPIRE', lock_key(scope), lease_ms) end
end

-- The first success stands: a key that is done already keeps its result.
local function commit_lock(scope, hash, task_id, result, ttl_ms)
  local held = call('GET', lock_key(scope))
  if held and string.sub(held, 1, 1) == 'D' then return end
  call('SET', lock_key(scope), 'D ' .. hash .. ' ' .. task_id .. '\n' .. result, 'PX', ttl_ms)
end
