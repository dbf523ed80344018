-- Names of the keys of one queue. KEYS[1] is its stream, `<prefix>:{<queue>}:stream`; the others share its hash tag, so
-- that in a Cluster they live in the same slot.
local GROUP = 'workers'
-- Locals, because a global is looked up by name at each use.
local KEYS, ARGV, call = KEYS, ARGV, redis.call
local match, byte = string.match, string.byte
local stream, base, delayed_key, dead_key, owners_key, heartbeat_key

local function use_queue(stream_key)
  stream, base = stream_key, string.sub(stream_key, 1, -7)
  delayed_key, dead_key = base .. 'delayed', base .. 'dead'
  owners_key, heartbeat_key = base .. 'owners', base .. 'heartbeat'
end
use_queue(KEYS[1])

local function record_key(task_id) return base .. 't:' .. task_id end
local function body_key(task_id) return base .. 'd:' .. task_id end
local function log_key(task_id) return base .. 'l:' .. task_id end
local function lock_key(scope) return base .. 'k:' .. scope end
local function meta_key() return base .. 'meta' end
local function workers_key() return base .. 'workers' end
local function cancels_key() return base .. 'cancels' end

-- Milliseconds since 1970 by the clock of this server, as text: Lua would write large numbers as 1.7e+12.
local function now_ms()
  local time = call('TIME')
  return time[1] .. string.format('%03d', math.floor(time[2] / 1000))
end

local function whole(number) return string.format('%.0f', number) end

-- A note of who and why, as JSON, with the time of this server as its first member.
local function dated(note, now) return '{"at":' .. now .. ',' .. string.sub(note, 2) end

-- Runs one item of a batch; an error becomes its reply and leaves the other items alone.
local function guarded(run, ...)
  local ok, reply = pcall(run, ...)
  if ok then return reply end
  return 'error:' .. (type(reply) == 'table' and reply.err or tostring(reply))
end

-- Lua passes some thousand arguments at most: long lists of keys or ids go in parts.
local PART = 1000
local function in_parts(list, run)
  for first = 1, #list, PART do run(first, math.min(first + PART - 1, #list)) end
end
