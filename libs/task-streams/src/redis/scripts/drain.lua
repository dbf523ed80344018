#!lua flags=allow-oom
-- Removes up to `most` tasks that nobody runs: waiting or delayed ones, which become cancelled, or dead letters.
-- KEYS[1] stream
-- ARGV    waiting | delayed | dead, most, where to end as the last call answered or '', ms the records are kept, who and
--         why as JSON, without the time
-- returns { removed, where to end, 1 where there may be more }
-- Ends at what was there when the first call was made, so that it comes to an end while tasks are added. Atomic for each
-- task; what was handed out is left alone.
--@include keys
--@include record
--@include owners
--@include lock
--@include entry
--@include letters
--@include cancel
--@include group
local what, most, bound, keep = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local now = now_ms()
local request = dated(ARGV[5], now)
local places = {}

-- The entries of a stream up to the one that was its last at first.
local function entries_of(key, from)
  if bound == '' then
    local last = call('XREVRANGE', key, '+', '-', 'COUNT', 1)[1]
    bound = last and last[1] or '0-0'
  end
  return call('XRANGE', key, from, bound, 'COUNT', most)
end

-- Each answers how many it has removed.
function places.waiting()
  local _, last = group_of_workers()
  local entries = entries_of(stream, '(' .. last)
  for _, row in ipairs(entries) do
    local task_id = identity_of(row[2])
    cancel_entry(row[1], row[2], task_id ~= '' and read_record(task_id) or nil, now, request, keep)
  end
  return #entries
end

function places.delayed()
  if bound == '' then bound = whole(call('ZCARD', delayed_key)) end
  local ids = call('ZRANGE', delayed_key, 0, math.min(most, tonumber(bound)) - 1)
  if bound == '0' then ids = {} end
  for _, task_id in ipairs(ids) do
    local rec = read_record(task_id)
    if rec then cancel_record(task_id, rec, now, request, keep) end
    forget_delayed(task_id)
  end
  bound = whole(tonumber(bound) - #ids)
  return #ids
end

function places.dead()
  local entries = entries_of(dead_key, '-')
  for _, row in ipairs(entries) do
    local task_id = identity_of(row[2])
    local rec = task_id ~= '' and read_record(task_id)
    if rec and rec.entry == row[1] then call('DEL', record_key(task_id), log_key(task_id)) end
    remove_letter(row[1], row[2])
    count_letters('discarded', 1)
  end
  return #entries
end

local removed = places[what]()
return { removed, bound, removed == most and 1 or 0 }
