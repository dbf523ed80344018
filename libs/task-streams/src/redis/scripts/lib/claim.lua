-- Claims entries that were delivered to this consumer: writes its token beside each, claims the key in the entry, and
-- answers the deliveries: { entry, head, body } for a task that is delivered for the first time, was never tried and has no
-- key; { entry, deliveries, key claim, detail, record or '', head, body, meta or '' } for others; and for an entry
-- that has other fields { entry, deliveries, '', '', record or '', fields }.

local W, FULL_AT = byte('w'), #'waiting 0 ' + 1

-- Whether the record is that of this entry, and nothing has happened to it: `w<entry> <name>`.
local function is_untouched(text, entry) return byte(text) == W and has_part(text, 2, entry) end

-- Whether a record is that of a task that waits at this entry once more: `waiting 0 <entry> …`.
local function is_waiting_at(text, entry) return byte(text) == W and has_part(text, FULL_AT, entry) end

-- What most entries do not need: a record is made where there is none, and mended where it is about another entry.
local mend_record
local function make_mend_record()
--@include names
--@include record
--@include entry
  return function(entry, task_id, name, text)
    local rec = text and parse_record(text)
    if rec and is_copy(rec, entry, task_id) then return nil end
    rec = rec or new_record(name, '-', time_of(entry))
    rec.state, rec.ended, rec.entry = 'waiting', '0', entry
    write_record(task_id, rec)
    return pack_record(rec)
  end
end

-- The record of an entry; nil for a copy.
local function record_for(entry, task_id, name, text)
  if text and is_waiting_at(text, entry) then return text end
  mend_record = mend_record or make_mend_record()
  return mend_record(entry, task_id, name, text)
end

local claim_key
local function make_claim_key()
--@include names
--@include lock
--@include record
  return function(entry, name, key, text, body, token)
    local hash = parse_record(text).hash or hash_of_body(body)
    return claim_lock(name .. '/' .. key, entry, token, hash)
  end
end

local function is_usual(fields)
  return fields[3] == 'body' and (#fields == 4 or #fields == 6 and fields[5] == 'meta')
end

-- Answers one delivery and its task id; nil for a copy.
local function claim_entry(row, count, token)
  local entry, fields = row[1], row[2]
  local task_id, name, key = identity_of(fields)
  if task_id == '' then return { entry, count, '', '', '', fields }, task_id end
  local text = call('GET', record_key(task_id))
  if text and is_untouched(text, entry) then
    if count == 1 and key == '' and is_usual(fields) then return { entry, fields[2], fields[4] }, task_id end
  else
    text = record_for(entry, task_id, name, text)
    if not text then return nil end
  end
  if not is_usual(fields) then return { entry, count, '', '', text, fields }, task_id end
  local won, detail = '', ''
  if key ~= '' then
    claim_key = claim_key or make_claim_key()
    won, detail = claim_key(entry, name, key, text, fields[4], token)
    -- A lock holds while its entry has an owner, and the next entry of this call may ask for the same key.
    if won == 'won' then own({ entry, token .. ' ' .. task_id }) end
  end
  return { entry, count, won, detail, text, fields[2], fields[4], fields[6] or '' }, task_id
end
