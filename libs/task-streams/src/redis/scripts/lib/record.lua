--@include texts
-- The task record, one packed string:
--   <state> <ended or due> <entry> <token> <failed attempts> <hand-outs> <hash> <enqueued> <started>\n<name>\n<tail>
-- Absent parts are '-' or 0. The tail is a letter and its JSON: r result, o result omitted, e error, p progress.
-- A running task is `waiting` here; that it runs is told by the owners.
local RECORD = '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+)\n([^\n]*)\n(.*)$'

local function parse_record(text)
  local state, ended, entry, token, failed, deliveries, hash, enqueued, started, name, tail = match(text, RECORD)
  if not state then return nil end
  return {
    state = state, ended = ended, entry = entry, token = token, failed = failed, deliveries = deliveries, hash = hash,
    enqueued = enqueued, started = started, name = name, tail = tail,
  }
end

local function read_record(task_id)
  local text = call('GET', record_key(task_id))
  return text and parse_record(text)
end

local function new_record(name, hash, enqueued)
  return {
    state = 'waiting', ended = '0', entry = '-', token = '-', failed = '0', deliveries = '0', hash = hash,
    enqueued = enqueued, started = '0', name = string.gsub(name, '[\r\n]', ' '), tail = '',
  }
end

local function pack_record(rec)
  return rec.state .. ' ' .. rec.ended .. ' ' .. rec.entry .. ' ' .. rec.token .. ' ' .. rec.failed .. ' ' ..
    rec.deliveries .. ' ' .. rec.hash .. ' ' .. rec.enqueued .. ' ' .. rec.started .. '\n' .. rec.name .. '\n' .. rec.tail
end

local function write_record(task_id, rec, ttl) write_text(task_id, pack_record(rec), ttl) end
