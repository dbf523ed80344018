-- Who owns what is delivered: a hash from entry to `<token> <task id>`. The token is the fence: settle, renew and progress
-- compare it, and only a delivery or a reclaim replaces it. XACK itself knows no owner.
-- A token is `<worker nonce>.<claim>.<lease ms>.<claimed at>.<deliveries>`: the lease belongs to the delivery, so that a
-- worker with another lease judges it by its own.
local OWNERS_TTL_S = 604800

local function token_of(claim, now, deliveries) return claim .. '.' .. now .. '.' .. deliveries end

-- The token and the task id of an owner; nil where there is none.
local function token_in(owner) return owner and match(owner, '^%S+') or nil end
local function task_in(owner) return owner and match(owner, '^%S+ (.*)$') or '' end
local function lease_in(owner) return owner and tonumber(match(owner, '^[^.]+%.[^.]+%.(%d+)%.')) end

local function owner_of(entry) return token_in(call('HGET', owners_key, entry)) end

-- A hash of few and short values is one list for Redis, which is searched from its begin at each access: with a hundred tasks
-- underway that is a tenth of the work of a turn. One value of more than `hash-max-listpack-value` makes it a table, and a
-- table it stays until it is empty.
local MANY, LONG_VALUE = 8, 65
local function make_table() call('HSET', owners_key, '', string.rep('-', LONG_VALUE)) end

-- Writes owners: entry and owner in turn.
local function own(pairs)
  if #pairs == 0 then return end
  local are_many = #pairs > 2 * MANY
  if are_many then make_table() end
  in_parts(pairs, function(first, last) call('HSET', owners_key, unpack(pairs, first, last)) end)
  if are_many then call('HDEL', owners_key, '') end
  -- Every entry leaves the hash when it is settled; this is for streams that somebody deleted.
  call('EXPIRE', owners_key, OWNERS_TTL_S)
end

-- Takes entries out of the stream, the group and the owners.
local function remove_entries(ids)
  if #ids == 0 then return end
  in_parts(ids, function(first, last)
    call('XACK', stream, GROUP, unpack(ids, first, last))
    call('XDEL', stream, unpack(ids, first, last))
    call('HDEL', owners_key, unpack(ids, first, last))
  end)
end
