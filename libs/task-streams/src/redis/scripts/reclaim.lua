#!lua flags=allow-oom
-- Reclaims up to `count` deliveries whose lease expired, whoever held them, this consumer included. Looks at no more than
-- ten times `count` pending entries a call, or a hundred; the cursor goes on from there.
-- KEYS[1] stream
-- ARGV    consumer, count, claim, lease ms of what has no owner, cursor, worker, deliveries from which on it is a suspect,
--         ms the record of a dead letter is kept
-- returns { now, deliveries as in turn.lua, tasks that cannot be claimed, next cursor, number of deleted payloads, ms until
--         the next lease that a silence has kept can expire or 0, the consumer that held each delivery, '' where it was
--         released }
-- A lease is as long as the token of the delivery says. One that is to stop (lib/cancel.lua) is cancelled instead. One whose
-- payload somebody deleted becomes a dead letter that says so.
--@include keys
--@include record
--@include owners
--@include lock
--@include entry
--@include claim_all
--@include tombstone
--@include cancel
--@include heartbeat
--@include expired
--@include remove_consumer
local consumer, claim, worker, suspect_count = ARGV[1], ARGV[3], ARGV[6], tonumber(ARGV[7])
local found = expired_leases(ARGV[5], tonumber(ARGV[2]), tonumber(ARGV[4]), beat(tonumber(ARGV[4])))

-- What this worker holds already is not delivered anew, and from its last permitted delivery on one counts when it starts
-- (begin.lua): a suspect waits for its turn, and must not lose it while it waits.
local function count_delivery(entry)
  local count = found.counts[entry] + 1
  if count >= suspect_count or is_of_worker(token_in(found.owners[entry]), claim) then
    set_deliveries(consumer, entry, count - 1, 0)
  end
  return count
end

-- A token begins with the end of the name of its consumer.
local consumers
local function consumer_of(owner)
  if not owner then return '' end
  if not consumers then
    consumers = {}
    for _, row in ipairs(call('XINFO', 'CONSUMERS', stream, GROUP)) do consumers[match(row[2], '[^:]*$')] = row[2] end
  end
  return consumers[match(owner, '^[^.]*')] or ''
end

-- Removes those it took the last delivery of that are no workers any more: they have no note since they said goodbye.
local function remove_gone(holders)
  local names = { [RELEASED] = true }
  for _, name in ipairs(holders) do names[name] = name ~= '' and name ~= consumer or nil end
  for name in pairs(names) do
    if call('HEXISTS', workers_key(), name) == 0 then remove_consumer(name) end
  end
end

local claimed_entries, gone = claim_expired(consumer, found.ids)
local claimed = claim_all(without_cancelled(claimed_entries, claim, now_ms()), count_delivery, claim, consumer)
local holders = {}
for i, delivery in ipairs(claimed[2]) do holders[i] = consumer_of(found.owners[delivery[1]]) end
-- XCLAIM has forgotten them already. Where the dead letters cannot be written the log still tells.
for _, entry in ipairs(gone) do
  guarded(bury, task_in(found.owners[entry]), entry, worker, ARGV[8])
  call('HDEL', owners_key, entry)
end
local buried = bury_deleted(worker, ARGV[8], found.silences)
forget_stale_marks()
if #found.ids > 0 then remove_gone(holders) end
return { claimed[1], claimed[2], claimed[3], found.cursor, #gone + buried, found.wait_ms, holders }
