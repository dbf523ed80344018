-- Settles a batch. Each item begins with entry, task id, token and kind. The common case, `done`, is a completion
-- without a key and without follow-ups, whose record the worker has packed itself: one SET for the task, and its share
-- of what is done for the whole batch.
local DONE_SIZE, ITEM_HEAD = 6, 19

-- Dead letters that were dropped to make place, in this call.
local dropped_letters = 0

-- What most turns do not need: every outcome but `done`, and what to answer to who is not the owner.
local settle_other
local function make_settle_other()
--@include names
--@include record
--@include owners
--@include lock
--@include entry
--@include append
--@include settle
--@include cancelled
--@include item
  return function(i, owner, consumer, now)
    if ARGV[i + 3] == 'done' then return not_owner(ARGV[i + 1], ARGV[i + 2], owner) end
    return settle(item_of(i, consumer), owner, now)
  end
end

-- The places in ARGV where items begin, and their entries.
local function items_from(i)
  local places, entries = {}, {}
  while i <= #ARGV do
    places[#places + 1], entries[#entries + 1] = i, ARGV[i]
    if ARGV[i + 3] == 'done' then i = i + DONE_SIZE
    else i = i + ITEM_HEAD + (ITEM_SIZE + 1) * tonumber(ARGV[i + 18]) end
  end
  return places, entries
end

local function settle_at(i, owner, consumer, now)
  if ARGV[i + 3] ~= 'done' or owner ~= ARGV[i + 2] then
    settle_other = settle_other or make_settle_other()
    return settle_other(i, owner, consumer, now)
  end
  write_text(ARGV[i + 1], 'completed ' .. now .. ARGV[i + 5], ARGV[i + 4])
  return 'done'
end

-- Settles every item from ARGV[i] on. Answers how many there were where each is done, else the reply to each.
local function settle_all(consumer, first_item)
  local places, entries = items_from(first_item)
  if #places == 0 then return 0 end
  local now, replies, ended, owners, are_done = now_ms(), {}, {}, {}, true
  in_parts(entries, function(first, last)
    for i, owner in ipairs(call('HMGET', owners_key, unpack(entries, first, last))) do owners[first + i - 1] = owner end
  end)
  for n, place in ipairs(places) do
    local reply = guarded(settle_at, place, owners[n], consumer, now)
    if reply == 'done' or reply == 'vanished' or reply == 'cancelled' then ended[#ended + 1] = entries[n] end
    replies[n] = reply == 'released' and 'done' or reply == 'vanished' and 'gone' or reply
    are_done = are_done and replies[n] == 'done'
  end
  remove_entries(ended)
  return are_done and #places or replies
end
