#!lua flags=no-writes
-- One page of tasks. Reads no more than `limit` of them.
-- KEYS[1] stream
-- ARGV    waiting | active | delayed | dead, limit, cursor as the last page answered or ''
-- returns { next cursor or '', tasks: { task id, name, record or '', token or '', cancel mark or '' } }
--@include keys
--@include owners
--@include entry
--@include group
local place, limit, cursor = ARGV[1], tonumber(ARGV[2]), ARGV[3]
local tasks = {}

local function add(task_id, name, entry)
  local token = entry and owner_of(entry) or ''
  local mark = token ~= '' and call('HGET', cancels_key(), entry) or ''
  tasks[#tasks + 1] = { task_id, name, call('GET', record_key(task_id)) or '', token, mark or '' }
end

local function add_entry(row, is_in_stream)
  local task_id, name = identity_of(row[2])
  if task_id ~= '' then add(task_id, name, is_in_stream and row[1] or nil) end
end

-- Each answers how many places it has looked at, and the cursor of the last one.
local places = {}

function places.waiting()
  local _, last = group_of_workers()
  local rows = call('XRANGE', stream, '(' .. (cursor ~= '' and cursor or last), '+', 'COUNT', limit)
  for _, row in ipairs(rows) do add_entry(row, true) end
  return #rows, #rows > 0 and rows[#rows][1]
end

function places.dead()
  local rows = call('XRANGE', dead_key, cursor ~= '' and '(' .. cursor or '-', '+', 'COUNT', limit)
  for _, row in ipairs(rows) do add_entry(row) end
  return #rows, #rows > 0 and rows[#rows][1]
end

function places.active()
  if call('EXISTS', stream) == 0 then return 0 end
  local pending = redis.pcall('XPENDING', stream, GROUP, cursor ~= '' and '(' .. cursor or '-', '+', limit)
  if pending.err then return 0 end
  for _, row in ipairs(pending) do
    local fields = read_entry(stream, row[1])
    if fields then add_entry({ row[1], fields }, true) end
  end
  return #pending, #pending > 0 and pending[#pending][1]
end

-- The cursor is `<due> <task id>`; the task may have gone since, then the page begins with the tasks that are due then.
function places.delayed()
  local first = 0
  if cursor ~= '' then
    local due, task_id = match(cursor, '^(%d+) (.*)$')
    local is_there = call('ZSCORE', delayed_key, task_id) == due
    first = is_there and call('ZRANK', delayed_key, task_id) + 1 or call('ZCOUNT', delayed_key, '-inf', '(' .. due)
  end
  local rows = call('ZRANGE', delayed_key, first, first + limit - 1, 'WITHSCORES')
  for i = 1, #rows, 2 do add(rows[i], '') end
  return #rows / 2, #rows > 0 and rows[#rows] .. ' ' .. rows[#rows - 1]
end

local count, last = places[place]()
return { count == limit and last or '', tasks }
