#!lua flags=no-writes
-- The workers of a queue: the consumers of its group, and whoever has said something of itself. A consumer that never got a
-- task is not known to each server.
-- KEYS[1] stream
-- ARGV    the most to answer
-- returns for each { name, pending, idle ms, `<at> <JSON>` or '' }
--@include keys
local most, replies, notes, names = tonumber(ARGV[1]), {}, {}, {}
local said = call('HGETALL', workers_key())
for i = 1, #said, 2 do notes[said[i]], names[#names + 1] = said[i + 1], said[i] end

local rows = call('EXISTS', stream) == 1 and redis.pcall('XINFO', 'CONSUMERS', stream, GROUP) or {}
for n = 1, rows.err and 0 or math.min(#rows, most) do
  local row, consumer = rows[n], {}
  for i = 1, #row, 2 do consumer[row[i]] = row[i + 1] end
  replies[n] = { consumer.name, consumer.pending, consumer.idle, notes[consumer.name] or '' }
  notes[consumer.name] = nil
end
local now = tonumber(now_ms())
for _, name in ipairs(names) do
  local note = notes[name]
  if note and #replies < most then replies[#replies + 1] = { name, 0, now - tonumber(match(note, '^%d+')), note } end
end
return replies
