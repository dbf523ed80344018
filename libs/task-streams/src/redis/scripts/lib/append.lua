-- Appends one task, once: a known id with the same name and payload is a duplicate, with others a conflict.
local ITEM_SIZE = 7

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

-- ARGV[i] on: id, name, head, body, hash, delay ms, run at ms. Answers the entry where it was added to the stream. With
-- `room`, a new task is added only where there is some.
local function append_task(i, now, touch, room)
  local key = record_key(ARGV[i])
  local text = call('GET', key)
  if text then return known_task(i, text, touch) end
  if room then
    if room.waiting >= room.limit then return { 'full', whole(room.waiting), whole(room.limit) } end
    room.waiting = room.waiting + 1
  end
  local due = due_time(ARGV[i + 5], ARGV[i + 6], now)
  local rest = ' - 0 0 ' .. ARGV[i + 4] .. ' ' .. now .. ' 0\n' .. ARGV[i + 1] .. '\n'
  if due then
    park(ARGV[i], { 'head', ARGV[i + 2], 'body', ARGV[i + 3] }, due)
    call('SET', key, 'delayed ' .. due .. ' -' .. rest)
    return { 'added', '-', 'delayed' }
  end
  local entry = call('XADD', stream, '*', 'head', ARGV[i + 2], 'body', ARGV[i + 3])
  call('SET', key, 'waiting 0 ' .. entry .. rest)
  return entry
end
