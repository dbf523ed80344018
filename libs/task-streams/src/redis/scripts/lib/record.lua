--@include texts
-- The task record, one packed string:
--   <state> <ended or due> <entry> <token> <failed attempts> <deliveries> <hash> <enqueued> <started>\n<name>\n<links>\n<tail>
-- Links are what its end means to others; every change of the record keeps them. Most tasks have none. Absent parts are '-' or 0. The tail is a letter and its JSON: r result, o result omitted, e error, p progress.
-- A running task is `waiting` here; that it runs is told by the owners. Of one that waits in the stream and was never tried
-- less is kept, because there are many: `w<entry> <name>`. The rest is in its entry.
local RECORD = '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+) (%S+)\n([^\n]*)\n([^\n]*)\n(.*)$'

local WAITING = '^w(%d+%-%d+) (.*)$'

local function new_record(name, hash, enqueued)
  return {
    state = 'waiting', ended = '0', entry = '-', token = '-', failed = '0', deliveries = '0', hash = hash,
    enqueued = enqueued, started = '0', name = string.gsub(name, '[\r\n]', ' '), links = '', tail = '',
  }
end

-- The hash of its payload is made when it is asked for, of the entry that it had when it was read.
local function parse_waiting(text)
  local entry, name = match(text, WAITING)
  if not entry then return nil end
  local rec = new_record(name, nil, match(entry, '^%d+'))
  rec.entry, rec.read_at = entry, entry
  return rec
end

-- When a task was enqueued that has no record: what the id of its entry says, unless that is in the future.
local function time_of(entry)
  local at = match(entry, '^%d+')
  return tonumber(at) <= tonumber(now_ms()) and at or now_ms()
end

local function parse_record(text)
  local state, ended, entry, token, failed, deliveries, hash, enqueued, started, name, links, tail =
    match(text, RECORD)
  if not state then return parse_waiting(text) end
  return {
    state = state, ended = ended, entry = entry, token = token, failed = failed, deliveries = deliveries, hash = hash,
    enqueued = enqueued, started = started, name = name, links = links, tail = tail,
  }
end

local function read_record(task_id)
  local text = call('GET', record_key(task_id))
  return text and parse_record(text)
end

-- The first 96 bits, as payload-hash.ts makes them.
local function hash_of_body(body) return string.sub(redis.sha1hex(body), 1, 24) end

-- The hash of the payload; '-' where nothing is left to make it of.
local function hash_of(rec)
  if not rec.hash then
    local found = call('XRANGE', stream, rec.read_at, rec.read_at)[1]
    local fields = found and found[2] or {}
    rec.hash = fields[3] == 'body' and hash_of_body(fields[4]) or '-'
  end
  return rec.hash
end

local function pack_record(rec)
  return rec.state .. ' ' .. rec.ended .. ' ' .. rec.entry .. ' ' .. rec.token .. ' ' .. rec.failed .. ' ' ..
    rec.deliveries .. ' ' .. hash_of(rec) .. ' ' .. rec.enqueued .. ' ' .. rec.started .. '\n' .. rec.name .. '\n' ..
    rec.links .. '\n' .. rec.tail
end

local function write_record(task_id, rec, ttl) write_text(task_id, pack_record(rec), ttl) end
