-- How each place of a queue is emptied, for drain.lua: step by step, from `cursor` on, up to `bound`.
local CHUNK, SCANNED, MAX_BYTES = 20, 100, 1048576

local function try(run, task_id, ...)
  local reply = guarded(run, task_id, ...)
  if type(reply) == 'string' then trouble = task_id .. ': ' .. string.sub(reply, 7) end
  return reply == true
end

-- Goes through a stream up to the bound, as long as `most` and the bytes last.
local function each_chunk(key, run)
  local seen, bytes = 0, 0
  while seen < most and bytes < MAX_BYTES do
    local rows = call('XRANGE', key, cursor == '' and '-' or '(' .. cursor, bound, 'COUNT', math.min(CHUNK, most - seen))
    if #rows == 0 then cursor = '' return end
    for _, row in ipairs(rows) do
      for _, value in ipairs(row[2]) do bytes = bytes + #value end
    end
    run(rows)
    seen, cursor = seen + #rows, rows[#rows][1]
  end
end

local function cancel_waiting(task_id, name, key, row)
  local rec = task_id ~= '' and read_record(task_id) or nil
  if task_id ~= '' and not (rec and is_copy(rec, row[1], task_id)) then
    rec = rec or new_record(name, '-', now)
    rec.hash = rec.hash or row[2][3] == 'body' and hash_of_body(row[2][4]) or '-'
    cancel_record(task_id, rec, now, request, keep)
  end
  if key ~= '' then free_lock(name .. '/' .. key, row[1]) end
  return true
end

local places = {}

function places.waiting()
  each_chunk(stream, function(rows)
    local ids, gone = {}, {}
    for i, row in ipairs(rows) do ids[i] = row[1] end
    local owners = call('HMGET', owners_key, unpack(ids))
    for i, row in ipairs(rows) do
      local task_id, name, key = identity_of(row[2])
      if not owners[i] and try(cancel_waiting, task_id, name, key, row) then gone[#gone + 1] = row[1] end
    end
    remove_entries(gone)
    removed = removed + #gone
  end)
end

local function cancel_delayed(task_id)
  local rec = read_record(task_id)
  if rec then cancel_record(task_id, rec, now, request, keep) end
  return true
end

local function was_there(task_id)
  local first = redis.pcall('GETRANGE', body_key(task_id), 0, 15)
  return type(first) ~= 'string' or (split_body(first)) < mark
end

local function take_delayed(task_ids)
  local ids, bodies = {}, {}
  for _, task_id in ipairs(task_ids) do
    if was_there(task_id) and try(cancel_delayed, task_id) then
      ids[#ids + 1], bodies[#bodies + 1] = task_id, body_key(task_id)
    end
  end
  in_parts(ids, function(first, last)
    removed = removed + call('ZREM', delayed_key, unpack(ids, first, last))
    call('DEL', unpack(bodies, first, last))
  end)
  return #ids
end

-- A part of the hash table, in which a task keeps its place whatever time it is given.
local function scan_delayed()
  local page, ids = call('ZSCAN', delayed_key, cursor, 'COUNT', SCANNED), {}
  for i = 1, #page[2], 2 do ids[#ids + 1] = page[2][i] end
  take_delayed(ids)
  cursor = page[1] == '0' and '' or page[1]
  return math.max(#ids, SCANNED / 4)
end

-- First in the order in which they are due, which is the fastest, past the tasks that are left: `rank <of the next one>`. Then
-- by the hash table, for what was given another time meanwhile.
function places.delayed()
  local rank, seen = tonumber(match(cursor, '^rank (%d+)$') or cursor == '' and 0 or nil), 0
  if rank then
    local ids = call('ZRANGE', delayed_key, rank, rank + most - 1)
    rank = rank + #ids - take_delayed(ids)
    cursor = #ids == most and 'rank ' .. whole(rank) or '0'
    return
  end
  repeat seen = seen + scan_delayed() until cursor == '' or seen >= most
end

local function forget_dead(task_id, letter)
  local rec = task_id ~= '' and read_record(task_id)
  if rec and rec.entry == letter then call('DEL', record_key(task_id), log_key(task_id)) end
  return true
end

function places.dead()
  each_chunk(dead_key, function(rows)
    local gone = {}
    for _, row in ipairs(rows) do
      if try(forget_dead, (identity_of(row[2])), row[1]) then gone[#gone + 1] = row end
    end
    remove_letters(gone)
    removed = removed + #gone
  end)
  count_letters('discarded', removed)
end
