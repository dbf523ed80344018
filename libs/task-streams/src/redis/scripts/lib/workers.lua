--@include names
-- Who works on the queue, and who of them is alive: the one place that says so. A consumer is known by what it reads and
-- claims, a worker by the note it writes with each renewal; the later of the two counts, because servers before 7.2 take no
-- read without an answer for a sign of life. A worker is alive within its own lease: nobody may take its deliveries before.
local NO_NOTE_LEASE_MS = 30000

local function worker_of(name, pending, idle_ms, note)
  local at = match(note, '^%d+')
  if at then idle_ms = math.min(idle_ms, math.max(tonumber(now_ms()) - tonumber(at), 0)) end
  local lease_ms = tonumber(match(note, '"leaseMs":(%d+)') or NO_NOTE_LEASE_MS)
  return { name = name, pending = pending, idle_ms = idle_ms, note = note, is_live = idle_ms <= lease_ms }
end

local function workers_of_queue()
  local workers, notes, said = {}, {}, call('HGETALL', workers_key())
  for i = 1, #said, 2 do notes[said[i]] = said[i + 1] end
  local rows = call('EXISTS', stream) == 1 and redis.pcall('XINFO', 'CONSUMERS', stream, GROUP) or {}
  for n = 1, rows.err and 0 or #rows do
    local row, consumer = rows[n], {}
    for i = 1, #row, 2 do consumer[row[i]] = row[i + 1] end
    if consumer.name ~= RELEASED then
      workers[#workers + 1] = worker_of(consumer.name, consumer.pending, consumer.idle, notes[consumer.name] or '')
    end
    notes[consumer.name] = nil
  end
  for i = 1, #said, 2 do
    if notes[said[i]] then workers[#workers + 1] = worker_of(said[i], 0, tonumber(now_ms()), said[i + 1]) end
  end
  return workers
end
