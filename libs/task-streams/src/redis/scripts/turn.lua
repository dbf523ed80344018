#!lua flags=allow-oom
-- One turn of a worker's loop in one call: settles what has ended, then hands out and claims what fits into the slots.
-- KEYS[1] stream
-- ARGV    consumer, claim, lease ms, count, ms the records of the usual ends are kept, their number, then the settlements:
--         the usual, each: entry, task id, record without its state and time
--         others, each: entry, task id, token, kind, name, started at, hand-outs, lock scope, text, detail, number, commit
--         ttl ms, reason, keep (1 or 0), most dead letters, failed attempts, failure (as in lib/letters.lua), hash of the
--         payload, number of follow-ups; each follow-up is the key of its stream and a task as in append.lua
-- returns { replies, now, deliveries, error of the hand-out or '', dead letters dropped }
--         replies: their number where each is `done`, else a list
--         reply: done | cancelled (it was to be stopped, and did not complete) | already | fenced | gone, or 'error:<reply>'
--         delivery: as in lib/claim.lua
-- Atomic for each task: what it becomes and the end of what it was are one step, and so are its hand-out and its claim.
-- Allowed on a full Redis, because settling frees memory. Settling is safe to repeat.
--@include core
--@include texts
--@include tokens
--@include identity
--@include batch
--@include claim
local replies = settle_all(ARGV[1], 7, tonumber(ARGV[6]), ARGV[5])
if ARGV[4] == '0' then return { replies, '0', {}, '', dropped_letters } end
local claimed = guarded(hand_out, ARGV[1], ARGV[4], ARGV[2], ARGV[3])
if type(claimed) == 'string' then return { replies, '0', {}, claimed, dropped_letters } end
return { replies, claimed[1], claimed[2], '', dropped_letters }
