-- The task record, one packed string:
--   <state> <entry> <token> <failed attempts> <deliveries> <hash> <enqueued> <started> <ended or due>\n<name>\n<tail>
-- Absent parts are '-' or 0. The tail is a letter and its JSON: r result, o result omitted, e error, p progress.
local RECORD = '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+)\n([^\n]*)\n(.*)$'

local function parse_record(text)
  local state, entry, token, failed, deliveries, hash, enqueued, started, ended, name, tail = string.match(text, RECORD)
  if not state then return nil end
  return {
    state = state, entry = entry, token = token, failed = failed, deliveries = deliveries, hash = hash,
    enqueued = enqueued, started = started, ended = ended, name = name, tail = tail,
  }
end

local function read_record(task_id)
  local text = redis.call('GET', record_key(task_id))
  return text and parse_record(text)
end

local function new_record(name, hash, enqueued)
  return {
    state = 'waiting', entry = '-', token = '-', failed = '0', deliveries = '0', hash = hash,
    enqueued = enqueued, started = '0', ended = '0', name = string.gsub(name, '[\r\n]', ' '), tail = '',
  }
end

-- Numbers are written whole: Lua would write large ones as 1.7e+12.
local function whole(value) return type(value) == 'number' and string.format('%.0f', value) or value end

-- Keeps the record for ttl milliseconds; for ever where ttl is nil; not at all where it is 0.
local function write_record(task_id, rec, ttl)
  if ttl == 0 then return redis.call('DEL', record_key(task_id)) end
  local text = table.concat({
    rec.state, rec.entry, rec.token, whole(rec.failed), whole(rec.deliveries), rec.hash, whole(rec.enqueued),
    whole(rec.started), whole(rec.ended),
  }, ' ') .. '\n' .. rec.name .. '\n' .. rec.tail
  if ttl then redis.call('SET', record_key(task_id), text, 'PX', whole(ttl))
  else redis.call('SET', record_key(task_id), text) end
end
