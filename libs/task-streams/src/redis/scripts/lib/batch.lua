-- Settles a batch. Each item begins with entry, task id, token and kind. The common case, `done`, is a completion
-- without a key and without follow-ups, whose record the worker has packed itself: one SET for the task, and its share
-- of what is done for the whole batch.
local DONE_SIZE, ITEM_HEAD = 6, 18

local function item_of(i, consumer)
  local item = {
    consumer = consumer, entry = ARGV[i], task_id = ARGV[i + 1], token = ARGV[i + 2], kind = ARGV[i + 3],
    name = ARGV[i + 4], started = ARGV[i + 5], deliveries = ARGV[i + 6], scope = ARGV[i + 7], text = ARGV[i + 8],
    detail = ARGV[i + 9], number = ARGV[i + 10], commit_ttl = ARGV[i + 11], reason = ARGV[i + 12],
    keep = ARGV[i + 13] == '1', most = ARGV[i + 14], failed = ARGV[i + 15], failure = ARGV[i + 16],
    follow_ups = i + ITEM_HEAD,
  }
  item.last = item.follow_ups - 1 + (ITEM_SIZE + 1) * tonumber(ARGV[i + 17])
  return item
end

-- The places in ARGV where items begin, and their entries.
local function items_from(i)
  local places, entries = {}, {}
  while i <= #ARGV do
    places[#places + 1], entries[#entries + 1] = i, ARGV[i]
    if ARGV[i + 3] == 'done' then i = i + DONE_SIZE
    else i = i + ITEM_HEAD + (ITEM_SIZE + 1) * tonumber(ARGV[i + 17]) end
  end
  return places, entries
end

local function settle_at(i, owner, consumer, now)
  if ARGV[i + 3] ~= 'done' then return settle(item_of(i, consumer), owner, now) end
  if owner ~= ARGV[i + 2] then return not_owner(ARGV[i + 1], ARGV[i + 2], owner) end
  write_text(ARGV[i + 1], 'completed ' .. now .. ARGV[i + 5], ARGV[i + 4])
  return 'done'
end

-- Settles every item from ARGV[i] on.
local function settle_all(consumer, first_item)
  local places, entries = items_from(first_item)
  if #places == 0 then return {} end
  local now, replies, ended, owners = now_ms(), {}, {}, {}
  in_parts(entries, function(first, last)
    for i, owner in ipairs(call('HMGET', owners_key, unpack(entries, first, last))) do owners[first + i - 1] = owner end
  end)
  for n, place in ipairs(places) do
    local reply = guarded(settle_at, place, owners[n], consumer, now)
    if reply == 'done' or reply == 'vanished' or reply == 'cancelled' then ended[#ended + 1] = entries[n] end
    replies[n] = reply == 'released' and 'done' or reply == 'vanished' and 'gone' or reply
  end
  remove_entries(ended)
  return replies
end
