#!lua flags=allow-oom
-- Moves due tasks from the delayed set into the stream. Any worker may run it; a task is moved once.
-- KEYS[1] stream
-- ARGV    the most tasks to move, worker, ms the record of a dead letter is kept
-- returns { moved, ms until the next is due or -1, `<task id>: <why>` of a task that cannot be moved or '', 1 where the queue
--         is paused, entries whose tasks are to stop and their marks }
-- Nothing is moved while the queue is paused: what is delayed can still be cancelled, and given another time.
-- Atomic for each task: it is in the stream before it leaves the delayed set. A task that cannot be moved (another program
-- wrote over its keys) is tried again later and keeps nobody back; it is told of until it is gone or was moved: a hash,
-- `blocked`, from task id to why. One whose body is gone becomes a dead letter.
--@include keys
--@include record
--@include entry
--@include due
--@include tombstone
local now, RETRY_MS, MAX_MARKS = now_ms(), 30000, 100

local function promote(task_id)
  local rec, body = read_record(task_id), call('GET', body_key(task_id))
  if not body then
    bury(task_id, '-', ARGV[2], ARGV[3])
    forget_delayed(task_id)
    return 0
  end
  return move_due(task_id, rec, body) and 1 or 0
end

local function block(task_id, reply)
  for _, key in ipairs({ record_key(task_id), body_key(task_id) }) do
    local kind = call('TYPE', key).ok
    if kind ~= 'string' and kind ~= 'none' then reply = 'the key "' .. key .. '" holds a ' .. kind end
  end
  call('HSET', blocked_key(), task_id, reply)
  call('ZADD', delayed_key, whole(tonumber(now) + RETRY_MS), task_id)
end

-- One of those that cannot be moved; whoever is no longer there is forgotten.
local function blocked_task()
  local SOME = 5
  for _, task_id in ipairs(call('HRANDFIELD', blocked_key(), SOME)) do
    if call('ZSCORE', delayed_key, task_id) then return task_id .. ': ' .. call('HGET', blocked_key(), task_id) end
    call('HDEL', blocked_key(), task_id)
  end
  return ''
end

local moved, paused = 0, call('HEXISTS', meta_key(), 'paused')
local due = paused == 0 and call('ZRANGE', delayed_key, '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[1]) or {}
for _, task_id in ipairs(due) do
  local reply = guarded(promote, task_id)
  if type(reply) == 'number' then moved = moved + reply else block(task_id, sub(reply, 7)) end
end
local following = paused == 0 and call('ZRANGE', delayed_key, 0, 0, 'WITHSCORES') or {}
return { moved, following[2] and whole(math.max(tonumber(following[2]) - tonumber(now), 0)) or '-1', blocked_task(), paused,
  call('HRANDFIELD', cancels_key(), MAX_MARKS, 'WITHVALUES') }
