--@include tokens
local function pending_row(entry) return call('XPENDING', stream, GROUP, entry, entry, 1)[1] end

-- Whether a token was written by the worker of this claim, `<worker nonce>.<claim>`.
local function is_of_worker(token, claim) return token and match(token, '^[^.]+') == match(claim, '^[^.]+') end

-- Gives a task back. The large idle time lets the next sweep of any worker take it at once, and tells it from one whose
-- lease lapsed; the hand-out does not count.
local HANDED_BACK_IDLE_MS = 864000000
local function set_hand_outs(consumer, entry, count, idle_ms)
  call('XCLAIM', stream, GROUP, consumer, 0, entry, 'IDLE', whole(idle_ms), 'RETRYCOUNT', math.max(count, 0), 'JUSTID')
end
local function hand_back(consumer, entry, count) set_hand_outs(consumer, entry, count - 1, HANDED_BACK_IDLE_MS) end
