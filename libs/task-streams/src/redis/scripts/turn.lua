#!lua flags=allow-oom
-- One turn of a worker's loop in one call: settles what has ended, then delivers and claims what fits into the slots.
-- KEYS[1] stream
-- ARGV    consumer, claim, count, ms the records of the usual ends are kept, their number, then the settlements:
--         the usual, each: entry, task id, record without its state and time
--         others, each: entry, task id, token, kind, name, started at, deliveries, lock scope, text, detail, number, commit
--         ttl ms, reason, keep (1 or 0), most dead letters, failed attempts, failure (as in lib/letters.lua), hash of the
--         payload, ms the record of a dead letter is kept, number of follow-ups; each follow-up is the key of its stream and a task as in append.lua
-- returns { replies, now, deliveries, error of the delivery or '', dead letters dropped, tasks that cannot be claimed }
--         replies: their number where each is `done`, else a list
--         reply: done | cancelled (it was to be stopped, and did not complete) | already | fenced | gone | deleted (its
--         payload was: it is a dead letter), 'follow-up:<why>' (a follow-up cannot be added), or 'error:<reply>'
--         delivery, and what cannot be claimed: as in lib/claim.lua and lib/claim_all.lua
-- Atomic for each task: what it becomes and the end of what it was are one step, and so are its delivery and its claim.
-- Allowed on a full Redis, because settling frees memory. Settling is safe to repeat.
--@include core
--@include texts
--@include tokens
--@include identity
--@include batch
--@include claim_all
local replies = settle_all(ARGV[1], 6, tonumber(ARGV[5]), ARGV[4])
if ARGV[3] == '0' then return { replies, '0', {}, '', dropped_letters, {} } end
local claimed = guarded(deliver, ARGV[1], ARGV[3], ARGV[2], #ARGV == 5)
if type(claimed) == 'string' then return { replies, '0', {}, claimed, dropped_letters, {} } end
return { replies, claimed[1], claimed[2], '', dropped_letters, claimed[3] }
