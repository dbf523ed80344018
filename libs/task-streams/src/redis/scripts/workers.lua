#!lua flags=no-writes
-- The workers of a queue.
-- KEYS[1] stream
-- ARGV    the most to answer
-- returns for each { name, pending, idle ms, `<at> <JSON>` or '', 1 where it is alive or 0 }
--@include keys
--@include workers
local replies = {}
for n, worker in ipairs(workers_of_queue()) do
  if n > tonumber(ARGV[1]) then break end
  replies[n] = { worker.name, worker.pending, worker.idle_ms, worker.note, worker.is_live and 1 or 0 }
end
return replies
