--@include names
--@include tokens
local function pending_row(entry) return call('XPENDING', stream, GROUP, entry, entry, 1)[1] end

-- Whether a token was written by the worker of this claim, `<worker nonce>.<claim>`.
local function is_of_worker(token, claim) return token and match(token, '^[^.]+') == match(claim, '^[^.]+') end

-- Releases a task: to a consumer that is no worker, so that its worker can leave the group. The large idle time lets the next
-- sweep of any worker take it at once, and tells it from one whose lease expired; the delivery does not count.
local RELEASED_IDLE_MS = 864000000
local function set_deliveries(consumer, entry, count, idle_ms)
  call('XCLAIM', stream, GROUP, consumer, 0, entry, 'IDLE', whole(idle_ms), 'RETRYCOUNT', math.max(count, 0), 'JUSTID')
end
local function release(entry, count) set_deliveries(RELEASED, entry, count - 1, RELEASED_IDLE_MS) end
