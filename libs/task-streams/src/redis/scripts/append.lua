#!lua
-- Appends tasks of one queue. Safe to repeat with the same ids. Refused whole when the memory of Redis is full.
-- KEYS[1] stream
-- ARGV    touch (1 or 0), then for each task: id, name, key, head, body, hash, delay ms, run at ms
-- returns for each task { added | duplicate | conflict, entry id or '-', state }, or 'error:<reply>'
-- Atomic for each task: its entry and its record are there together, or neither.
--@include keys
--@include record
--@include owners
--@include entry
--@include append
local now, touch, replies = now_ms(), ARGV[1] == '1', {}
local function append_one(i) return append_task(i, redis.call('GET', record_key(ARGV[i])), now, touch) end
for i = 2, #ARGV, ITEM_SIZE do replies[#replies + 1] = guarded(append_one, i) end
return replies
