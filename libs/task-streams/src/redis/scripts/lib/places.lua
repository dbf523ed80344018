-- How each place of a queue is emptied, for drain.lua: step by step, from `cursor` on, up to `bound`. Records are read many at
-- a time; MGET answers nothing for a key that another program wrote over, so what it has nothing of is looked at one by one.
local FIRST_CHUNK, MAX_CHUNK, CHUNK_BYTES, MAX_BYTES, SCANNED = 10, 100, 131072, 1048576, 100
local CANCELLED = 'cancelled ' .. now .. ' - '
local tail = '\nc' .. request

local function try(run, task_id, ...)
  local reply = guarded(run, task_id, ...)
  if type(reply) == 'string' then trouble = task_id .. ': ' .. string.sub(reply, 7) end
  return reply == true
end

local function read_texts(task_ids)
  local keys = {}
  for i, task_id in ipairs(task_ids) do keys[i] = record_key(task_id) end
  return #keys > 0 and call('MGET', unpack(keys)) or {}
end

local function delete(keys)
  in_parts(keys, function(first, last) call('DEL', unpack(keys, first, last)) end)
end

-- Goes through a stream up to the bound, as long as `most` and the bytes last; few at a time where they are large.
local function each_chunk(key, run)
  local seen, bytes, size = 0, 0, FIRST_CHUNK
  while seen < most and bytes < MAX_BYTES do
    local rows = call('XRANGE', key, cursor == '' and '-' or '(' .. cursor, bound, 'COUNT', math.min(size, most - seen))
    if #rows == 0 then cursor = '' return end
    for _, row in ipairs(rows) do
      for _, value in ipairs(row[2]) do bytes = bytes + #value end
    end
    run(rows)
    seen, cursor = seen + #rows, rows[#rows][1]
    size = math.max(1, math.min(MAX_CHUNK, math.floor(CHUNK_BYTES * seen / (bytes + 1))))
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

-- The usual task: it was never tried, has no key, and its record is that of this very entry. Answers false for any other.
local function cancel_untried(task_id, name, key, row, text)
  if text ~= 'w' .. row[1] .. ' ' .. name or key ~= '' or row[2][3] ~= 'body' then return false end
  if keep == '0' then call('DEL', record_key(task_id), log_key(task_id)) return true end
  call('SET', record_key(task_id), CANCELLED .. '- 0 0 ' .. hash_of_body(row[2][4]) .. ' ' .. match(row[1], '^%d+') ..
    ' 0\n' .. name .. '\n' .. tail, 'PX', keep)
  return true
end

-- Removes rows that are the first of their stream at one stroke: one by one each is searched for. Answers false where another
-- entry is before them.
local function trim_head(key, rows)
  local first = call('XRANGE', key, '-', '+', 'COUNT', 1)[1]
  local ms, seq = match(rows[#rows][1], '^(%d+)-(%d+)$')
  if first[1] ~= rows[1][1] or #seq > 15 then return false end
  call('XTRIM', key, 'MINID', ms .. '-' .. whole(tonumber(seq) + 1))
  return true
end

local places = {}

local function cancel_entries(rows)
  local ids, task_ids, gone = {}, {}, {}
  for i, row in ipairs(rows) do ids[i], task_ids[i] = row[1], (identity_of(row[2])) end
  local owners, texts = call('HMGET', owners_key, unpack(ids)), read_texts(task_ids)
  for i, row in ipairs(rows) do
    local task_id, name, key = identity_of(row[2])
    if not owners[i] and
      (cancel_untried(task_id, name, key, row, texts[i]) or try(cancel_waiting, task_id, name, key, row)) then
      gone[#gone + 1] = row[1]
    end
  end
  if #gone < #rows or not trim_head(stream, rows) then remove_entries(gone)
  else call('XACK', stream, GROUP, unpack(gone)) end
  removed = removed + #gone
end

function places.waiting() each_chunk(stream, cancel_entries) end

local function forget_dead(task_id, letter)
  local rec = task_id ~= '' and read_record(task_id)
  if rec and rec.entry == letter then call('DEL', record_key(task_id), log_key(task_id)) end
  return true
end

function places.dead()
--@include letters
  local all = {}
  each_chunk(dead_key, function(rows)
    local gone, task_ids, spent = {}, {}, {}
    for i, row in ipairs(rows) do task_ids[i] = (identity_of(row[2])) end
    local texts = read_texts(task_ids)
    for i, row in ipairs(rows) do
      local task_id, text = task_ids[i], texts[i]
      local is_its_own = text and match(text, '^dead %S+ (%S+)') == row[1]
      if is_its_own then spent[#spent + 1], spent[#spent + 2] = record_key(task_id), log_key(task_id) end
      if is_its_own or try(forget_dead, task_id, row[1]) then gone[#gone + 1], all[#all + 1] = row[1], row end
    end
    delete(spent)
    if #gone > 0 and (#gone < #rows or not trim_head(dead_key, rows)) then call('XDEL', dead_key, unpack(gone)) end
  end)
  leave_groups(all)
  removed = #all
  count_letters('discarded', removed)
end
--@include delayed
