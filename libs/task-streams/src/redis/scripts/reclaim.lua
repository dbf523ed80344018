#!lua flags=allow-oom
-- Takes over up to `count` tasks whose lease lapsed, whoever held them, this consumer included. Looks at no more than
-- ten times `count` pending entries a call; the cursor goes on from there.
-- KEYS[1] stream
-- ARGV    consumer, count, claim, lease ms, cursor, worker, deliveries from which on a task is a suspect
-- returns { now, deliveries as in turn.lua, next cursor, number of deleted payloads, ms until lapsed leases are taken
--         over, 0 where they are, the consumer that held each delivery, '' where it was handed back }
-- One that is to stop (lib/cancel.lua) is cancelled instead. A pending entry whose payload somebody deleted becomes a dead letter that says so.
--@include keys
--@include record
--@include owners
--@include lock
--@include entry
--@include claim
--@include letters
--@include tombstone
--@include cancel
--@include heartbeat
local consumer, claim, lease_ms, cursor = ARGV[1], ARGV[3], tonumber(ARGV[4]), ARGV[5]
local suspect_count = tonumber(ARGV[7])

-- What this worker holds already is not delivered anew, and from its last permitted delivery on one counts when it starts
-- (begin.lua): a suspect waits for its turn, and must not lose it while it waits.
local function hand_outs(entry, owner)
  local count = pending_row(entry[1])[4]
  if count >= suspect_count or is_of_worker(owner, claim) then
    set_hand_outs(consumer, entry[1], count - 1, 0)
  end
  return count
end

-- XAUTOCLAIM does not say who held an entry. Its token does: it begins with the end of that consumer's name.
local consumers
local function consumer_of(token)
  if not token then return '' end
  if not consumers then
    consumers = {}
    for _, row in ipairs(call('XINFO', 'CONSUMERS', stream, GROUP)) do consumers[match(row[2], '[^:]*$')] = row[2] end
  end
  return consumers[match(token, '^[^.]*')] or ''
end

local grace_ms = math.max(lease_ms / 2 - beat(now_ms(), lease_ms), 0)
local least_idle_ms = grace_ms > 0 and HANDED_BACK_IDLE_MS or lease_ms
local reply = call('XAUTOCLAIM', stream, GROUP, consumer, whole(least_idle_ms), cursor, 'COUNT', ARGV[2])
local entries, counts, owners = without_cancelled(reply[2], claim, now_ms()), {}, {}
for _, entry in ipairs(entries) do
  local id = entry[1]
  owners[id] = owner_of(id)
  counts[id] = hand_outs(entry, owners[id])
end
local claimed = claim_all(entries, function(entry) return counts[entry] end, claim, ARGV[4])
local holders = {}
for i, delivery in ipairs(claimed[2]) do holders[i] = consumer_of(owners[delivery[1]]) end
local gone = reply[3]
-- XAUTOCLAIM has forgotten them already. Where the dead letters cannot be written the log still tells.
for _, entry in ipairs(gone) do guarded(bury, '', entry, ARGV[6]) end
if #gone > 0 then call('HDEL', owners_key, unpack(gone)) end
forget_stale_marks()
return { claimed[1], claimed[2], reply[1], #gone, math.ceil(grace_ms), holders }
