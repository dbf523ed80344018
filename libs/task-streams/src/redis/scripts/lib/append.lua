--@include wake
-- Appends one task, once: a known id with the same name and payload is a duplicate, with others a conflict.

-- What most tasks do not need: those that are known already, that wait for a time, or whose queue has a limit.
local seldom
local function make_seldom()
--@include names
--@include record
--@include owners
--@include entry
  -- The third argument of a task that has one: delay, time, and the hash of its payload or nothing.
  local function when_of(i)
    if ARGV[i + 2] == '' then return '0', '0', '' end
    return match(ARGV[i + 2], '^(%S+) (%S+) ?(%S*)$')
  end

  local function due_of(i, now)
    local delay, run_at = when_of(i)
    return due_time(delay, run_at, now)
  end

  local function hash_of_item(i)
    local _, _, hash = when_of(i)
    return hash and hash ~= '' and hash or hash_of_body(ARGV[i + 1])
  end

  local function park_task(i, task_id, name, due, now)
    park(task_id, { 'head', ARGV[i], 'body', ARGV[i + 1] }, due)
    local rec = new_record(name, hash_of_item(i), now)
    rec.state, rec.ended = 'delayed', due
    write_record(task_id, rec)
    return { 'added', '-', 'delayed' }
  end

  -- `touch` writes the record of a duplicate again, so that this connection has a write whose fsync can be waited for.
  -- Nil for a task that is lost: its record says that it waits, and somebody has deleted what was to wait.
  local function known_task(i, task_id, name, text, touch)
    local rec = parse_record(text)
    if not rec then error('the record of ' .. task_id .. ' cannot be read') end
    local is_active = rec.state == 'waiting' and owner_of(rec.entry)
    if not is_active and is_lost(rec, task_id) then return nil end
    local hash = hash_of(rec)
    if rec.name ~= name or (hash ~= '-' and hash ~= hash_of_item(i)) then return { 'conflict', '', '' } end
    if touch then call('SET', record_key(task_id), text, 'KEEPTTL') end
    if is_active then rec.state = 'active' end
    return { 'duplicate', rec.entry, rec.state }
  end

  -- The number of waiting and delayed tasks, and the limit. A task with a worker has an owner and does not wait; its entry
  -- may have been deleted.
  local function room_of(limit)
    local active = call('HLEN', owners_key) - call('HLEN', deleted_key())
    local waiting = call('XLEN', stream) - active + call('ZCARD', delayed_key)
    return { waiting = math.max(waiting, 0), limit = limit }
  end

  local function full(room) return { 'full', whole(room.waiting), whole(room.limit) } end

  local function keep_waiting(i, task_id, name, entry, now)
    local rec = new_record(name, hash_of_item(i), now)
    rec.entry = entry
    write_record(task_id, rec)
  end

  return {
    due_of = due_of, park_task = park_task, keep_waiting = keep_waiting, known_task = known_task, room_of = room_of, full = full,
  }
end

local function need_seldom()
  seldom = seldom or make_seldom()
  return seldom
end

-- Whether an entry got its id from the clock: behind one with an id from the future, which somebody added, Redis counts on.
local latest
local function is_of_now(entry, now)
  latest = latest or string.format('%.0f', now + 1000)
  return sub(entry, 1, #latest) <= latest and byte(entry, #latest + 1) == DASH
end

-- Task id and name of a head that this library wrote.
local ID_AND_NAME = '^[^\n]*\n([^\n]*)\n([^\n]*)'

-- ARGV[i] on: head, body, when. Answers the entry where it was added to the stream. With `room`, a new task is added only
-- where there is some.
local function append_task(i, now, touch, room)
  local task_id, name = match(ARGV[i], ID_AND_NAME)
  local key = record_key(task_id)
  local text = call('GET', key)
  local known = text and need_seldom().known_task(i, task_id, name, text, touch)
  if known then return known end
  if room then
    if room.waiting >= room.limit then return need_seldom().full(room) end
    room.waiting = room.waiting + 1
  end
  local is_plain = ARGV[i + 2] == ''
  local due = not is_plain and need_seldom().due_of(i, now)
  if due then return need_seldom().park_task(i, task_id, name, due, now) end
  leave_mark()
  local entry = call('XADD', stream, '*', 'head', ARGV[i], 'body', ARGV[i + 1])
  if is_plain and is_of_now(entry, now) then call('SET', key, 'w' .. entry .. ' ' .. name)
  else need_seldom().keep_waiting(i, task_id, name, entry, now) end
  return entry
end
