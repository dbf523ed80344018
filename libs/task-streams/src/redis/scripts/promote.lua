#!lua flags=allow-oom
-- Moves due tasks from the delayed set into the stream. Any worker may run it; a task is moved once.
-- KEYS[1] stream
-- ARGV    the most tasks to move
-- returns { moved, ms until the next is due or -1 }
-- Atomic for each task: it is in the stream before it leaves the delayed set.
--@include keys
--@include record
--@include entry
local now = now_ms()

local function promote(task_id)
  local body = call('GET', body_key(task_id))
  local moved = 0
  if body then
    local entry = append_entry(stream, cmsgpack.unpack(body))
    local rec = read_record(task_id)
    if rec then
      rec.state, rec.entry, rec.ended = 'waiting', entry, '0'
      write_record(task_id, rec)
    end
    moved = 1
  end
  call('ZREM', delayed_key, task_id)
  call('DEL', body_key(task_id))
  return moved
end

local moved = 0
for _, task_id in ipairs(call('ZRANGE', delayed_key, '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[1])) do
  moved = moved + promote(task_id)
end
local following = call('ZRANGE', delayed_key, 0, 0, 'WITHSCORES')
return { moved, following[2] and whole(math.max(tonumber(following[2]) - tonumber(now), 0)) or '-1' }
