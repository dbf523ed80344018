--@include tokens
--@include names
-- Explicit idempotency keys, one string a key:
--   L <entry> <token> <hash>        held by a task that is with a worker
--   D <hash> <task id>\n<result>    done; lives as long as the option says
-- A lock has no lease of its own: it holds for as long as its entry has an owner, however long Redis, a worker or a clock
-- stood still. Its expiry is for streams that somebody deleted.
local LOCK_TTL_S = 604800

local function write_lock(scope, entry, token, hash)
  call('SET', lock_key(scope), 'L ' .. entry .. ' ' .. token .. ' ' .. hash, 'EX', LOCK_TTL_S)
end

local function differ(hash, other) return hash ~= '-' and other ~= '-' and hash ~= other end

-- Milliseconds until the lease of a delivery can expire.
local function lease_left(entry, owner)
  local row = call('XPENDING', stream, GROUP, entry, entry, 1)[1]
  return math.max((lease_in(owner) or 0) - (row and row[3] or 0), 1)
end

-- Claims the key for an entry this worker owns. Answers won, replay with the result, busy with the milliseconds that are
-- left of the lease of the other, or conflict. The entry itself always gets its own key back: its earlier owner is dead or
-- fenced.
local function claim_lock(scope, entry, token, hash)
  local held = call('GET', lock_key(scope))
  if held and string.sub(held, 1, 1) == 'D' then
    local done_hash, result = match(held, '^D (%S+) [^\n]*\n(.*)$')
    if differ(hash, done_hash) then return 'conflict', '' end
    return 'replay', result
  end
  if held then
    local holder, held_hash = match(held, '^L (%S+) %S+ (%S+)$')
    local owner = holder ~= entry and call('HGET', owners_key, holder)
    if owner then
      if differ(hash, held_hash) then return 'conflict', '' end
      return 'busy', lease_left(holder, owner)
    end
  end
  write_lock(scope, entry, token, hash)
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

-- Keeps the lock of a task that runs, and makes it again where somebody deleted it.
local function renew_lock(scope, entry, token)
  if scope == '' then return end
  local held = call('GET', lock_key(scope))
  if not held then write_lock(scope, entry, token, '-')
  elseif match(held, '^L (%S+) ') == entry then call('EXPIRE', lock_key(scope), LOCK_TTL_S) end
end

-- The first success stands: a key that is done already keeps its result.
local function commit_lock(scope, hash, task_id, result, ttl_ms)
  local held = call('GET', lock_key(scope))
  if held and string.sub(held, 1, 1) == 'D' then return end
  call('SET', lock_key(scope), 'D ' .. hash .. ' ' .. task_id .. '\n' .. result, 'PX', ttl_ms)
end
