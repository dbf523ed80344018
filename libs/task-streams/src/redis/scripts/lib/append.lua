-- Appends one task, once: a known id with the same name and payload is a duplicate, with others a conflict.

-- What most tasks do not need: those that are known already, that wait for a time, or whose queue has a limit.
local seldom
local function make_seldom()
--@include names
--@include record
--@include owners
--@include entry
  local function park_task(i, due, rest)
    park(ARGV[i], { 'head', ARGV[i + 2], 'body', ARGV[i + 3] }, due)
    call('SET', record_key(ARGV[i]), 'delayed ' .. due .. ' -' .. rest)
    return { 'added', '-', 'delayed' }
  end

  -- `touch` writes the record of a duplicate again, so that this connection has a write whose fsync can be waited for.
  local function known_task(i, text, touch)
    local rec = parse_record(text)
    if not rec then error('the record of ' .. ARGV[i] .. ' cannot be read') end
    if rec.name ~= ARGV[i + 1] or (rec.hash ~= '-' and rec.hash ~= ARGV[i + 4]) then return { 'conflict', '', '' } end
    if touch then call('SET', record_key(ARGV[i]), text, 'KEEPTTL') end
    if rec.state == 'waiting' and owner_of(rec.entry) then rec.state = 'active' end
    return { 'duplicate', rec.entry, rec.state }
  end

  -- How many tasks wait, now or for a time, and how many may. What is handed out has an owner and does not wait.
  local function room_of(limit)
    local waiting = call('XLEN', stream) - call('HLEN', owners_key) + call('ZCARD', delayed_key)
    return { waiting = math.max(waiting, 0), limit = limit }
  end

  local function full(room) return { 'full', whole(room.waiting), whole(room.limit) } end

  return { due_time = due_time, park_task = park_task, known_task = known_task, room_of = room_of, full = full }
end

local function need_seldom()
  seldom = seldom or make_seldom()
  return seldom
end

-- ARGV[i] on: id, name, head, body, hash, delay ms, run at ms. Answers the entry where it was added to the stream. With
-- `room`, a new task is added only where there is some.
local function append_task(i, now, touch, room)
  local key = record_key(ARGV[i])
  local text = call('GET', key)
  if text then return need_seldom().known_task(i, text, touch) end
  if room then
    if room.waiting >= room.limit then return need_seldom().full(room) end
    room.waiting = room.waiting + 1
  end
  local rest = ' - 0 0 ' .. ARGV[i + 4] .. ' ' .. now .. ' 0\n' .. ARGV[i + 1] .. '\n'
  local is_later = ARGV[i + 5] ~= '0' or ARGV[i + 6] ~= '0'
  local due = is_later and need_seldom().due_time(ARGV[i + 5], ARGV[i + 6], now)
  if due then return seldom.park_task(i, due, rest) end
  local entry = call('XADD', stream, '*', 'head', ARGV[i + 2], 'body', ARGV[i + 3])
  call('SET', key, 'waiting 0 ' .. entry .. rest)
  return entry
end
