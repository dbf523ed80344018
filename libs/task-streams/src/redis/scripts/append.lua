#!lua
-- Appends tasks of one queue. Safe to repeat with the same ids. Refused whole when the memory of Redis is full.
-- KEYS[1] stream
-- ARGV    touch (1 or 0), the most tasks that may wait (0 for any number), then for each task: head, body, when
--         when: nothing for now, or `<delay ms> <run at ms>`, where 0 is none; with ` <hash>` for a large body
-- returns where each was added: their entry ids in one text, because each string of a reply costs the client;
--         else a list, for each task: its entry id where it was added, { added | duplicate | conflict, entry id or '-', state },
--         { full, number of tasks that wait, limit }, or 'error:<reply>'
-- Atomic for each task: its entry and its record are there together, or neither.
--@include core
--@include append
local now, touch, replies = now_ms(), ARGV[1] == '1', {}
local room = ARGV[2] ~= '0' and need_seldom().room_of(tonumber(ARGV[2])) or nil
local added = 0
for i = 3, #ARGV, ITEM_SIZE do
  local reply = guarded(append_task, i, now, touch, room)
  if type(reply) == 'string' and match(reply, '^%d') then added = added + 1 end
  replies[#replies + 1] = reply
end
return added > 0 and added == #replies and table.concat(replies, ' ') or replies
