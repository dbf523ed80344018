-- Settles a batch. First come the usual ends, completions without a key and without follow-ups, whose records the worker has
-- packed itself: entry, task id, record without its state and time. Each of the others begins with entry, task id, token and
-- kind (lib/item.lua).
local USUAL_SIZE, ITEM_HEAD = 3, 20

-- Dead letters that were dropped to make place, in this call.
local dropped_letters = 0

-- What most turns do not need: every outcome but the usual one, and what to answer to who is not the owner.
local seldom_settled
local function make_seldom_settled()
--@include names
--@include record
--@include owners
--@include lock
--@include entry
--@include append
--@include follow_ups
--@include settle
--@include cancelled
--@include item
  return {
    settle = function(i, owner, consumer, now) return settle(item_of(i, consumer), token_in(owner), now) end,
    refuse_usual = function(i, owner) return not_owner(ARGV[i + 1], match(ARGV[i + 2], '^ %S+ (%S+)'), owner) end,
  }
end

local function need_seldom_settled()
  seldom_settled = seldom_settled or make_seldom_settled()
  return seldom_settled
end

-- Whether the owner of an entry, `<token> <task id>`, is who packed its record, ` <entry> <token> ...`.
local function is_by(owner, task_id, record, entry)
  return owner and has_part(record, #entry + 3, string.sub(owner, 1, #owner - #task_id - 1))
end

-- The entries of all items, and the places in ARGV where those begin that are not usual.
local function items_from(first_item, usual_count)
  local entries, places, i = {}, {}, first_item
  for n = 1, usual_count do
    entries[n] = ARGV[i]
    i = i + USUAL_SIZE
  end
  while i <= #ARGV do
    entries[#entries + 1], places[#places + 1] = ARGV[i], i
    i = i + ITEM_HEAD + (ITEM_SIZE + 1) * tonumber(ARGV[i + 19])
  end
  return entries, places
end

local function owners_of(entries)
  local owners = {}
  in_parts(entries, function(first, last)
    for i, owner in ipairs(call('HMGET', owners_key, unpack(entries, first, last))) do owners[first + i - 1] = owner end
  end)
  return owners
end

-- Settles the items from ARGV[first_item] on, of which so many are usual; their records are kept for so many milliseconds.
-- Answers how many there were where each is done, else the reply to each.
local function settle_all(consumer, first_item, usual_count, keep_ms)
  local entries, places = items_from(first_item, usual_count)
  if #entries == 0 then return 0 end
  local now, owners, replies, ended, are_done = now_ms(), owners_of(entries), {}, {}, true
  local function note(n, reply)
    if reply == 'done' or reply == 'deleted' or reply == 'cancelled' then ended[#ended + 1] = entries[n] end
    replies[n] = reply == 'released' and 'done' or reply
    are_done = are_done and replies[n] == 'done'
  end
  for n = 1, usual_count do
    local i = first_item + (n - 1) * USUAL_SIZE
    if is_by(owners[n], ARGV[i + 1], ARGV[i + 2], ARGV[i]) then
      write_text(ARGV[i + 1], 'completed ' .. now .. ARGV[i + 2], keep_ms)
      ended[#ended + 1], replies[n] = ARGV[i], 'done'
    else
      note(n, guarded(need_seldom_settled().refuse_usual, i, owners[n]))
    end
  end
  for k, place in ipairs(places) do
    local n = usual_count + k
    note(n, guarded(need_seldom_settled().settle, place, owners[n], consumer, now))
  end
  remove_entries(ended)
  return are_done and #entries or replies
end
