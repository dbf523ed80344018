-- What every script needs, and no more: each function of a script is made anew in each call, which is most of what a call for
-- one task costs. What is seldom needed is put into a function that makes it.
-- KEYS[1] is the stream of a queue, `<prefix>:{<queue>}:stream`; its other keys share the hash tag, so that in a Cluster they
-- live in the same slot.
local GROUP = 'workers'
-- How many arguments a task takes that is appended.
local ITEM_SIZE = 3
-- Locals, because a global is looked up by name at each use.
local KEYS, ARGV, call = KEYS, ARGV, redis.call
local match, byte, sub = string.match, string.byte, string.sub
local DASH = byte('-')
local stream, base, delayed_key, dead_key, owners_key, heartbeat_key

local function use_queue(stream_key)
  stream, base = stream_key, string.sub(stream_key, 1, -7)
  delayed_key, dead_key = base .. 'delayed', base .. 'dead'
  owners_key, heartbeat_key = base .. 'owners', base .. 'heartbeat'
end
use_queue(KEYS[1])

local function record_key(task_id) return base .. 't:' .. task_id end

-- Milliseconds since 1970 by the clock of this server, as text: Lua would write large numbers as 1.7e+12. One time for all of
-- the script.
local known_now
local function now_ms()
  if not known_now then
    local time = call('TIME')
    known_now = time[1] .. string.format('%03d', math.floor(time[2] / 1000))
  end
  return known_now
end

local function text_of(err) return type(err) == 'table' and err.err or tostring(err) end

-- Runs one item of a batch; an error becomes its reply and leaves the other items alone.
local function guarded(run, ...)
  local ok, reply = pcall(run, ...)
  if ok then return reply end
  return 'error:' .. text_of(reply)
end

-- Lua passes some thousand arguments at most: long lists of keys or ids go in parts.
local PART = 1000
local function in_parts(list, run)
  for first = 1, #list, PART do run(first, math.min(first + PART - 1, #list)) end
end
