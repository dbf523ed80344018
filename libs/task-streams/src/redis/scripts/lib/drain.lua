--@include names
-- The drain of delayed tasks. The field `drain` of the hash `meta` is `<mark>`: a number that grows with every drain that
-- begins. While one is under way ` <until> <bound> <taken> <ms to keep> <request>` follows: tasks whose mark is below the bound
-- were there when it began. Whoever moves such a task meanwhile cancels it, and counts it in `taken`. A drain that says
-- nothing for DRAIN_MS is over: its process is gone.
local DRAIN_MS = 10000

local function read_drain()
  local text = call('HGET', meta_key(), 'drain') or ''
  local mark, till, bound, taken, keep, request = match(text, '^(%d+) (%d+) (%d+) (%d+) (%d+) (.*)$')
  if not mark then return { mark = match(text, '^%d+') or '0' } end
  return {
    mark = mark, till = tonumber(till), bound = tonumber(bound), taken = tonumber(taken), keep = keep, request = request,
  }
end

local function write_drain(drain)
  local rest = drain.till and ' ' .. whole(drain.till) .. ' ' .. whole(drain.bound) .. ' ' .. whole(drain.taken) .. ' ' ..
    drain.keep .. ' ' .. drain.request or ''
  call('HSET', meta_key(), 'drain', drain.mark .. rest)
end

local function is_under_way(drain) return drain.till ~= nil and drain.till > tonumber(now_ms()) end

-- Read once in a script.
local known_drain
local function drain_under_way()
  known_drain = known_drain or read_drain()
  return is_under_way(known_drain) and known_drain or nil
end

-- Answers the bound of a drain that begins now.
local function begin_drain()
  local drain = read_drain()
  drain.mark = whole(math.max(tonumber(now_ms()), tonumber(drain.mark) + 1))
  write_drain(drain)
  return drain.mark
end

-- Says that the drain up to `bound` is under way. One that began later takes all that this one does.
local function renew_drain(bound, keep, request)
  local drain = read_drain()
  if is_under_way(drain) and drain.bound > bound then return end
  if not is_under_way(drain) or drain.bound ~= bound then drain.taken = 0 end
  drain.till, drain.bound, drain.keep, drain.request = tonumber(now_ms()) + DRAIN_MS, bound, keep, request
  write_drain(drain)
end

-- Answers how many of its tasks others cancelled.
local function end_drain(bound)
  local drain = read_drain()
  if drain.bound ~= bound then return 0 end
  write_drain({ mark = drain.mark })
  return drain.taken
end
