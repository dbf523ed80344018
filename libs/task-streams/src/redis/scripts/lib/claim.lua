-- Claims one entry this consumer has just been handed: writes the owner's token into the record, claims the key in the
-- entry, and answers the delivery, or nil where the entry was a duplicate and is gone.
-- A known id under another entry: where that work is done or still there, this entry is a copy made by hand and is
-- removed; where it is not (dead, or lost), this entry is the task now.
local function is_copy(rec, entry, task_id)
  if rec.entry == entry then return false end
  if rec.state == 'completed' then return true end
  if rec.state == 'delayed' or rec.state == 'retrying' then return redis.call('EXISTS', body_key(task_id)) == 1 end
  if rec.state == 'waiting' or rec.state == 'active' then return read_entry(stream, rec.entry) ~= nil end
  return false
end

local function entry_ms(entry) return string.match(entry, '^(%d+)') end

local function claim_entry(entry, fields, deliveries, token, lease_ms, now)
  local task_id = field(fields, 'id', 3) or ''
  if task_id == '' then return { entry, '', deliveries, entry_ms(entry), '', '', fields } end
  local rec = read_record(task_id)
  if rec and is_copy(rec, entry, task_id) then
    remove_entry(entry)
    return nil
  end
  local name = field(fields, 'task', 5) or ''
  rec = rec or new_record(name, '-', entry_ms(entry))
  rec.state, rec.entry, rec.token, rec.deliveries, rec.started, rec.ended = 'active', entry, token, deliveries, now, '0'
  write_record(task_id, rec)
  local key, claim, detail = field(fields, 'key', 7) or '', '', ''
  if key ~= '' then claim, detail = claim_lock(name .. '/' .. key, entry, token, rec.hash, lease_ms) end
  return { entry, task_id, deliveries, rec.enqueued, claim, detail, fields, rec.hash }
end

-- Claims a list of entries as XREADGROUP and XAUTOCLAIM answer it; `count_of` says how often an entry was handed out.
local function claim_all(entries, count_of, token, lease_ms)
  local now, deliveries = now_ms(), {}
  for _, entry in ipairs(entries) do
    local claimed = claim_entry(entry[1], entry[2], count_of(entry[1]), token, lease_ms, now)
    if claimed then deliveries[#deliveries + 1] = claimed end
  end
  return { whole(now), deliveries }
end

local function pending_row(entry) return redis.call('XPENDING', stream, GROUP, entry, entry, 1)[1] end
