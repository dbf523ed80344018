#!lua flags=allow-oom
-- Forgets a reader of dead letters, and others of its group that were not heard of for long, if they hold nothing.
-- KEYS[1] stream
-- ARGV    group, consumer, idle ms after which another one is forgotten
-- returns how many were forgotten
--@include keys
local consumers, forgotten = redis.pcall('XINFO', 'CONSUMERS', dead_key, ARGV[1]), 0
if consumers.err then return 0 end
for _, row in ipairs(consumers) do
  local consumer = {}
  for i = 1, #row, 2 do consumer[row[i]] = row[i + 1] end
  if consumer.pending == 0 and (consumer.name == ARGV[2] or consumer.idle > tonumber(ARGV[3])) then
    call('XGROUP', 'DELCONSUMER', dead_key, ARGV[1], consumer.name)
    forgotten = forgotten + 1
  end
end
return forgotten
