--@include names
--@include identity
-- Lua cannot pass more than some thousand arguments; an entry of more fields is kept as one packed field.
local MAX_FIELDS = 2000

local function read_entry(key, id)
  local found = call('XRANGE', key, id, id)
  return found[1] and found[1][2]
end

local function set_field(fields, name, value)
  for i = 1, #fields, 2 do
    if fields[i] == name then fields[i + 1] = value return end
  end
  fields[#fields + 1] = name
  fields[#fields + 1] = value
end

local function append_entry(key, fields)
  if #fields > MAX_FIELDS then return call('XADD', key, '*', 'packed', cmsgpack.pack(fields)) end
  return call('XADD', key, '*', unpack(fields))
end

-- A known id under another entry: where that work is done or still there, this entry is a copy made by hand and is
-- removed; where it is not (dead, or lost), this entry is the task now.
local function is_copy(rec, entry, task_id)
  if rec.state == 'completed' then return true end
  if rec.entry == entry then return false end
  if rec.state == 'delayed' or rec.state == 'retrying' then return call('EXISTS', body_key(task_id)) == 1 end
  if rec.state == 'waiting' then return read_entry(stream, rec.entry) ~= nil end
  return false
end

-- How the error of a task begins that lost its payload (lib/tombstone.lua).
local PAYLOAD_DELETED = 'e{"name":"PayloadDeleted"'

-- Whether somebody deleted what a task without an owner is to run from.
local function is_lost(rec, task_id)
  if rec.state == 'dead' then return string.find(rec.tail, PAYLOAD_DELETED, 1, true) == 1 end
  if rec.state == 'waiting' then return not read_entry(stream, rec.entry) end
  return (rec.state == 'delayed' or rec.state == 'retrying') and call('EXISTS', body_key(task_id)) == 0
end

-- When a task is due; nil for now. Both times are text; a delay of 0 and a time of 0 are none.
local function due_time(delay, run_at, now)
  if delay == '0' and run_at == '0' then return nil end
  local due = math.max(tonumber(run_at), delay == '0' and 0 or tonumber(now) + tonumber(delay))
  return due > tonumber(now) and whole(due) or nil
end

-- Parks a task until it is due: its body under a key of its own, its id in the delayed set. In front of the fields stands the
-- mark of the last drain of the queue, if there was one: so a later drain knows what came after it began, by no clock. The field
-- `parked` of the hash `meta` is the last mark that was written: a drain need not look for marks that nothing has.
local function park(task_id, fields, due)
  local mark = match(call('HGET', meta_key(), 'drain') or '', '^%d+')
  if mark and mark ~= call('HGET', meta_key(), 'parked') then call('HSET', meta_key(), 'parked', mark) end
  call('SET', body_key(task_id), (mark and mark .. ' ' or '') .. cmsgpack.pack(fields))
  call('ZADD', delayed_key, due, task_id)
end

-- The mark and the packed fields of a parked task. Packed fields never begin with a digit.
local function split_body(body)
  local mark, first = match(body, '^(%d+) ()')
  return tonumber(mark or 0), first and string.sub(body, first) or body
end

local function forget_delayed(task_id)
  call('ZREM', delayed_key, task_id)
  call('DEL', body_key(task_id))
  call('HDEL', blocked_key(), task_id)
end
