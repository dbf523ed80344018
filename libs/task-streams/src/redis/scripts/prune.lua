#!lua flags=allow-oom
-- Removes workers that hold nothing and were not heard of for long: what processes that were killed leave behind.
-- KEYS[1] stream
-- ARGV    own consumer, idle ms after which another one is removed
-- returns how many consumers were removed
-- Checked and removed in one step, because removing a consumer drops what is pending under it. A consumer that lives
-- after all is made again by its next read.
--@include keys
--@include workers
--@include remove_consumer
local removed = 0
for _, worker in ipairs(workers_of_queue()) do
  if worker.pending == 0 and worker.idle_ms > tonumber(ARGV[2]) and worker.name ~= ARGV[1] then
    call('HDEL', workers_key(), worker.name)
    removed = removed + remove_consumer(worker.name)
  end
end
return removed
