-- Claims entries this consumer has just been handed: writes its token beside each, claims the key in the entry, and
-- answers the deliveries: { entry, hand-outs, key claim, detail, record or '', fields }.

-- A known id under another entry: where that work is done or still there, this entry is a copy made by hand and is
-- removed; where it is not (dead, or lost), this entry is the task now.
local function is_copy(rec, entry, task_id)
  if rec.state == 'completed' then return true end
  if rec.entry == entry then return false end
  if rec.state == 'delayed' or rec.state == 'retrying' then return redis.call('EXISTS', body_key(task_id)) == 1 end
  if rec.state == 'waiting' then return read_entry(stream, rec.entry) ~= nil end
  return false
end

-- The record of an entry, made where there is none and mended where it is about another entry; nil for a copy.
local function settle_record(entry, task_id, fields, text)
  if text and string.find(text, ' ' .. entry .. ' ', 1, true) and string.byte(text) ~= 99 then return text end
  local rec = text and parse_record(text)
  if rec and is_copy(rec, entry, task_id) then return nil end
  rec = rec or new_record(field(fields, 'task', 5) or '', '-', string.match(entry, '^%d+'))
  rec.state, rec.ended, rec.entry = 'waiting', '0', entry
  write_record(task_id, rec)
  return pack_record(rec)
end

local function claim_key(entry, fields, text, token, lease_ms)
  local key = field(fields, 'key', 7) or ''
  if key == '' then return '', '' end
  local hash = string.match(text, '^%S+ %S+ %S+ %S+ %S+ %S+ (%S+)')
  return claim_lock((field(fields, 'task', 5) or '') .. '/' .. key, entry, token, hash, lease_ms)
end

local function records_of(entries)
  local keys, records = {}, {}
  for i, entry in ipairs(entries) do keys[i] = record_key(field(entry[2], 'id', 3) or '') end
  in_parts(keys, function(first, last)
    for i, text in ipairs(redis.call('MGET', unpack(keys, first, last))) do records[first + i - 1] = text end
  end)
  return records
end

-- Claims a list of entries as XREADGROUP and XAUTOCLAIM answer it; `count_of` says how often an entry was handed out.
local function claim_all(entries, count_of, claim, lease_ms)
  local now, deliveries, owned, copies = now_ms(), {}, {}, {}
  local records = records_of(entries)
  for i, row in ipairs(entries) do
    local entry, fields, count = row[1], row[2], count_of(row[1])
    local token, text = token_of(claim, now, count), ''
    local task_id = field(fields, 'id', 3) or ''
    if task_id ~= '' then text = settle_record(entry, task_id, fields, records[i]) end
    if text then
      local won, detail = claim_key(entry, fields, text, token, lease_ms)
      owned[#owned + 1] = entry
      owned[#owned + 1] = token
      deliveries[#deliveries + 1] = { entry, count, won, detail, text, fields }
    else
      copies[#copies + 1] = entry
    end
  end
  own(owned)
  remove_entries(copies)
  return { now, deliveries }
end

local function pending_row(entry) return redis.call('XPENDING', stream, GROUP, entry, entry, 1)[1] end

-- Hands out up to `count` waiting tasks to the consumer and claims them.
local function hand_out(consumer, count, claim, lease_ms)
  local reply = redis.call('XREADGROUP', 'GROUP', GROUP, consumer, 'COUNT', count, 'STREAMS', stream, '>')
  if not reply then return { now_ms(), {} } end
  return claim_all(reply[1][2], function() return 1 end, claim, lease_ms)
end
