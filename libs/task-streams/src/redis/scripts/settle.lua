#!lua flags=allow-oom
-- Settles tasks: completes, puts off, sets aside or hands back, each only for its owner. Safe to repeat. Allowed on a
-- full Redis, because settling frees memory.
-- KEYS[1] stream
-- ARGV    consumer, then for each task 16 values and its follow-ups: kind, entry, task id, name, token, deliveries,
--         lock scope, text, detail, number, commit ttl ms, reason, keep (1 or 0), most dead letters, failed attempts,
--         number of follow-ups; each follow-up is the key of its stream and a task as in append.lua
-- returns for each task done | already | fenced | gone, or 'error:<reply>'
-- Atomic for each task: what it becomes and the end of what it was are one step.
--@include keys
--@include record
--@include lock
--@include entry
--@include append
--@include fence
--@include settle
local now, replies, i = now_ms(), {}, 2
while i <= #ARGV do
  local item = {
    consumer = ARGV[1], kind = ARGV[i], entry = ARGV[i + 1], task_id = ARGV[i + 2], name = ARGV[i + 3],
    token = ARGV[i + 4], deliveries = ARGV[i + 5], scope = ARGV[i + 6], text = ARGV[i + 7], detail = ARGV[i + 8],
    number = tonumber(ARGV[i + 9]), commit_ttl = tonumber(ARGV[i + 10]), reason = ARGV[i + 11],
    keep = ARGV[i + 12] == '1', most = ARGV[i + 13], failed = ARGV[i + 14], follow_ups = {},
  }
  local first = i + 16
  i = first + (ITEM_SIZE + 1) * tonumber(ARGV[i + 15])
  for j = first, i - 1, ITEM_SIZE + 1 do
    item.follow_ups[#item.follow_ups + 1] = { stream = ARGV[j], task = item_at(j + 1) }
  end
  replies[#replies + 1] = guarded(settle, item, now)
end
return replies
