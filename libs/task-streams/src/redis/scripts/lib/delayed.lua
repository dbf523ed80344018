-- How the delayed tasks of a queue are removed; belongs to lib/places.lua.
local function cancel_delayed(task_id)
  local rec = read_record(task_id)
  if rec then cancel_record(task_id, rec, now, request, keep) end
  return true
end

-- Whether something was parked since this drain, or a later one, began.
local has_later
local function was_there(task_id)
  if has_later == nil then has_later = tonumber(call('HGET', meta_key(), 'parked') or 0) >= mark end
  if not has_later then return true end
  local first = redis.pcall('GETRANGE', body_key(task_id), 0, 15)
  return type(first) ~= 'string' or (split_body(first)) < mark
end

local KEPT = '^%S+ %S+ %S+ (%S+ %S+ %S+ %S+ %S+ %S+\n[^\n]*\n[^\n]*)\n'

-- Cancels those that were there. Answers their ids.
local function cancel_parked(task_ids)
  local found, taken, spent = {}, {}, {}
  for _, task_id in ipairs(task_ids) do
    if was_there(task_id) then found[#found + 1] = task_id end
  end
  for i, text in ipairs(read_texts(found)) do
    local task_id = found[i]
    local kept = text and match(text, KEPT)
    if kept and keep ~= '0' then call('SET', record_key(task_id), CANCELLED .. kept .. tail, 'PX', keep)
    elseif kept then
      spent[#spent + 1], spent[#spent + 2] = record_key(task_id), log_key(task_id)
    end
    if kept or try(cancel_delayed, task_id) then
      taken[#taken + 1], spent[#spent + 1] = task_id, body_key(task_id)
    end
  end
  delete(spent)
  return taken
end

-- Those of a rank on, where it is known: a range is removed faster than so many members.
local function take_delayed(task_ids, rank)
  local taken = cancel_parked(task_ids)
  if rank and #taken > 0 and #taken == #task_ids then
    removed = removed + call('ZREMRANGEBYRANK', delayed_key, rank, rank + #taken - 1)
    return #taken
  end
  in_parts(taken, function(first, last) removed = removed + call('ZREM', delayed_key, unpack(taken, first, last)) end)
  return #taken
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
    rank = rank + #ids - take_delayed(ids, rank)
    cursor = #ids == most and 'rank ' .. whole(rank) or '0'
    return
  end
  repeat seen = seen + scan_delayed() until cursor == '' or seen >= most
end
