-- Entries are copied inside Redis, byte for byte; only the last field, `meta`, is ever replaced.
local META = 'meta'
-- Lua cannot pass more than some thousand arguments; an entry of more fields is kept as one packed field.
local MAX_FIELDS = 2000

local function read_entry(key, id)
  local found = redis.call('XRANGE', key, id, id)
  return found[1] and found[1][2]
end

-- The value of a field; by place where the entry has the usual order, else by search.
local function field(fields, name, place)
  if fields[place] == name then return fields[place + 1] end
  for i = 1, #fields, 2 do
    if fields[i] == name then return fields[i + 1] end
  end
  return nil
end

local function set_field(fields, name, place, value)
  if fields[place] == name then fields[place + 1] = value return end
  for i = 1, #fields, 2 do
    if fields[i] == name then fields[i + 1] = value return end
  end
  fields[#fields + 1] = name
  fields[#fields + 1] = value
end

local function set_meta(fields, meta) set_field(fields, META, 13, meta) end

local function append_entry(key, fields)
  if #fields > MAX_FIELDS then return redis.call('XADD', key, '*', 'packed', cmsgpack.pack(fields)) end
  return redis.call('XADD', key, '*', unpack(fields))
end

-- Parks a task until it is due: its body under a key of its own, its id in the delayed set.
local function park(task_id, fields, due)
  redis.call('SET', body_key(task_id), cmsgpack.pack(fields))
  redis.call('ZADD', delayed_key, due, task_id)
end
