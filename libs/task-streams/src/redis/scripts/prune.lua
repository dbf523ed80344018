#!lua flags=allow-oom
-- Removes consumers that hold nothing and were not heard of for long: what processes that were killed leave behind.
-- KEYS[1] stream
-- ARGV    own consumer, idle ms after which another one is removed
-- returns how many were removed
-- Checked and removed in one step, because removing a consumer drops what is pending under it. A consumer that lives
-- after all (servers before 7.2 do not count an empty read as a sign of life) is made again by its next read.
--@include keys
local removed = 0
for _, row in ipairs(call('XINFO', 'CONSUMERS', stream, GROUP)) do
  local consumer = {}
  for i = 1, #row, 2 do consumer[row[i]] = row[i + 1] end
  if consumer.pending == 0 and consumer.idle > tonumber(ARGV[2]) and consumer.name ~= ARGV[1] then
    call('XGROUP', 'DELCONSUMER', stream, GROUP, consumer.name)
    call('HDEL', workers_key(), consumer.name)
    removed = removed + 1
  end
end
-- What they said of themselves, and those who never got a task.
local said, now = call('HGETALL', workers_key()), tonumber(now_ms())
for i = 1, #said, 2 do
  if now - tonumber(match(said[i + 1], '^%d+') or 0) > tonumber(ARGV[2]) then call('HDEL', workers_key(), said[i]) end
end
return removed
