-- Names of the keys of one queue. KEYS[1] is its stream, `<prefix>:{<queue>}:stream`; the others share its hash tag, so
-- that in a Cluster they live in the same slot.
local GROUP = 'workers'
local stream, base, delayed_key, dead_key

local function use_queue(stream_key)
  stream, base = stream_key, string.sub(stream_key, 1, -7)
  delayed_key, dead_key = base .. 'delayed', base .. 'dead'
end
use_queue(KEYS[1])

local function record_key(task_id) return base .. 't:' .. task_id end
local function body_key(task_id) return base .. 'd:' .. task_id end
local function lock_key(scope) return base .. 'k:' .. scope end

-- Milliseconds since 1970 by the clock of this server.
local function now_ms()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Runs one item of a batch; an error becomes its reply and leaves the other items alone.
local function guarded(run, ...)
  local ok, reply = pcall(run, ...)
  if ok then return reply end
  return 'error:' .. (type(reply) == 'table' and reply.err or tostring(reply))
end
