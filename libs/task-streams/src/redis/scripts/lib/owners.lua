-- Who owns what is handed out: a hash from entry to token. The token is the fence: settle, renew and progress compare
-- it, and only a hand-out or a take-over replaces it. XACK itself knows no owner.
-- A token is `<worker nonce>.<claim>.<claimed at>.<hand-outs>`.
local OWNERS_TTL_S = 604800

local function token_of(claim, now, deliveries) return claim .. '.' .. now .. '.' .. deliveries end

-- Writes tokens: entry and token in turn.
local function own(pairs)
  if #pairs == 0 then return end
  in_parts(pairs, function(first, last) call('HSET', owners_key, unpack(pairs, first, last)) end)
  -- Every entry leaves the hash when it is settled; this is for streams that somebody deleted.
  call('EXPIRE', owners_key, OWNERS_TTL_S)
end

local function pending_row(entry) return call('XPENDING', stream, GROUP, entry, entry, 1)[1] end

local function owner_of(entry) return call('HGET', owners_key, entry) end

-- Whether a token was written by the worker of this claim, `<worker nonce>.<claim>`.
local function is_of_worker(token, claim) return token and match(token, '^[^.]+') == match(claim, '^[^.]+') end

-- Gives a task back. The large idle time lets the next sweep of any worker take it at once, and tells it from one whose
-- lease lapsed; the hand-out does not count.
local HANDED_BACK_IDLE_MS = 864000000
local function set_hand_outs(consumer, entry, count, idle_ms)
  call('XCLAIM', stream, GROUP, consumer, 0, entry, 'IDLE', whole(idle_ms), 'RETRYCOUNT', math.max(count, 0), 'JUSTID')
end
local function hand_back(consumer, entry, count) set_hand_outs(consumer, entry, count - 1, HANDED_BACK_IDLE_MS) end

-- Takes entries out of the stream, the group and the owners.
local function remove_entries(ids)
  if #ids == 0 then return end
  in_parts(ids, function(first, last)
    call('XACK', stream, GROUP, unpack(ids, first, last))
    call('XDEL', stream, unpack(ids, first, last))
    call('HDEL', owners_key, unpack(ids, first, last))
  end)
end
