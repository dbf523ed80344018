--@include claim
--@include wake
-- What keeps a task from being claimed: the key of it that another program wrote over, or the reply.
local function blocked_by(fields, reply)
  local task_id, name, key = identity_of(fields)
  local keys = { record_key(task_id) }
  if key ~= '' then keys[2] = base .. 'k:' .. name .. '/' .. key end
  for _, at in ipairs(keys) do
    local kind = call('TYPE', at).ok
    if kind ~= 'string' and kind ~= 'none' then reply = 'the key "' .. at .. '" holds a ' .. kind end
  end
  return task_id .. ': ' .. reply
end

-- Claims a list of entries as XREADGROUP and XCLAIM answer it; `count_of` says how often an entry was delivered, and is nil
-- where each was delivered for the first time. Answers the time, the deliveries, and `<task id>: <why>` for each task that
-- cannot be claimed: it has no owner, costs no delivery, and is tried again when its lease has expired.
local function claim_all(entries, count_of, claim, consumer)
  local now, deliveries, owned, copies, blocked = now_ms(), {}, {}, {}, {}
  local first_token = token_of(claim, now, 1)
  local i, count = 1, 1
  -- One protected call for all of them: a task that cannot be claimed ends it, and it goes on behind that one.
  local function claim_rest()
    while i <= #entries do
      count = count_of and count_of(entries[i][1]) or 1
      local token = count == 1 and first_token or token_of(claim, now, count)
      local delivery, task_id = claim_entry(entries[i], count, token)
      if delivery then
        deliveries[#deliveries + 1] = delivery
        owned[#owned + 1] = delivery[1]
        owned[#owned + 1] = token .. ' ' .. task_id
      else
        copies[#copies + 1] = entries[i][1]
      end
      i = i + 1
    end
  end
  while i <= #entries do
    local ok, reply = pcall(claim_rest)
    if not ok then
      blocked[#blocked + 1] = blocked_by(entries[i][2], text_of(reply))
      call('XCLAIM', stream, GROUP, consumer, 0, entries[i][1], 'RETRYCOUNT', math.max(count - 1, 0), 'JUSTID')
      i = i + 1
    end
  end
  own(owned)
  remove_entries(copies)
  return { now, deliveries, blocked }
end

-- A mark for the next idle worker, where there is something for it.
local function hand_on()
  if call('XLEN', stream) > call('HLEN', owners_key) then leave_mark() end
end

-- The one door by which waiting tasks come to workers: delivers up to `count` of them to the consumer and claims them. It is
-- closed while the queue is paused. A worker that was idle hands the mark on that woke it; one that settles, too, is at work and
-- has taken none.
local function deliver(consumer, count, claim, was_idle)
  local is_paused = call('HEXISTS', base .. 'meta', 'paused') == 1
  local reply = not is_paused and call('XREADGROUP', 'GROUP', GROUP, consumer, 'COUNT', count, 'STREAMS', stream, '>')
  if not reply then return { now_ms(), {}, {} } end
  local claimed = claim_all(reply[1][2], nil, claim, consumer)
  -- Guarded: what is claimed must reach its worker.
  if was_idle and #reply[1][2] == tonumber(count) then guarded(hand_on) end
  return claimed
end
