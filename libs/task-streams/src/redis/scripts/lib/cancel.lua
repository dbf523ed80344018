--@include owners
--@include identity
-- Cancelling. A task that nobody has is cancelled at once. One that runs gets a mark, in the hash `cancels` under its
-- entry: `<ms the record is kept> <request as JSON>`. Its worker reads it with the renewal of its leases and with the
-- promoter; whoever settles or takes over the task finds it, too.
--@include cancelling
local CANCELS_TTL_S, STALE_MARKS = 604800, 20

-- Cancels an entry that nobody runs: its record first, so that the task is never without a place.
local function cancel_entry(entry, fields, rec, now, request, keep)
  local task_id, name, key = identity_of(fields or {})
  if task_id ~= '' then cancel_record(task_id, rec or new_record(name, '-', now), now, request, keep) end
  if key ~= '' then free_lock(name .. '/' .. key, entry) end
  remove_entries({ entry })
end

local function mark_cancel(entry, request, keep)
  call('HSETNX', cancels_key(), entry, keep .. ' ' .. request)
  -- Every mark leaves the hash with its task; this is for streams that somebody deleted.
  call('EXPIRE', cancels_key(), CANCELS_TTL_S)
end

-- Of entries that are taken over, those that are to be run: the others are cancelled here. A run of this very worker is
-- told by the worker.
local function without_cancelled(entries, claim, now)
  local kept = {}
  for _, row in ipairs(entries) do
    local mark = call('HGET', cancels_key(), row[1])
    if mark and not is_of_worker(owner_of(row[1]), claim) then
      local keep, request = match(mark, '^(%d+) (.*)$')
      cancel_entry(row[1], row[2], read_record((identity_of(row[2]))), now, request, keep)
      call('HDEL', cancels_key(), row[1])
    else
      kept[#kept + 1] = row
    end
  end
  return kept
end

-- Marks of tasks that completed all the same. Some at a time: a completion does not look for one.
local function forget_stale_marks()
  for _, entry in ipairs(call('HRANDFIELD', cancels_key(), STALE_MARKS)) do
    if not pending_row(entry) then call('HDEL', cancels_key(), entry) end
  end
end
