--@include owners
--@include admit
--@include end
--@include follow_ups
-- One function an outcome. Each runs only for the owner, and writes the destination before the source is removed. The
-- record keeps the token of the settler, so that a repeat is told from that of another worker.
local outcomes, cancels_instead = {}, nil

-- An end that frees the key. `letter` is its dead letter, where there is one.
local function end_item(item, rec, state, now, letter)
  local how = { entry = letter, tail = item.detail, keep = item.number, by = item, scope = item.scope, source = item.entry }
  end_task(item.task_id, rec, state, now, how)
end

-- detail: tail of the record · number: ms the record is kept · extra: key to commit, its ttl, its result, in
-- `reason` the hash it was claimed for, follow-ups
function outcomes.complete(item, rec, now)
  local refused = append_follow_ups(item.follow_ups, item.last, now)
  if refused then return 'follow-up:' .. refused end
  end_task(item.task_id, rec, 'completed', now, { entry = rec.entry, tail = item.detail, keep = item.number, by = item })
  if item.commit_ttl ~= '0' then commit_lock(item.scope, item.reason, item.task_id, item.text, item.commit_ttl) end
end

-- A task whose payload was deleted while it ran cannot run again: it becomes a dead letter that says so.
local function bury_item(item)
--@include tombstone
  bury(item.task_id, item.entry, item.consumer, item.dead_keep, item.token)
  free_lock(item.scope, item.entry)
  return 'deleted'
end

local function offer_later(item, rec, now, state)
  if item.task_id == '' then error('a task without an id cannot be offered again') end
  local fields = read_entry(stream, item.entry)
  if not fields then return bury_item(item) end
  set_field(fields, 'meta', item.text)
  local delay = tonumber(item.number)
  rec.token, rec.started, rec.deliveries, rec.tail = item.token, item.started, item.deliveries, item.detail
  if delay > 0 then
    rec.state, rec.ended, rec.entry = state, whole(tonumber(now) + delay), '-'
    park(item.task_id, fields, rec.ended)
    write_record(item.task_id, rec)
  else
    admit(item.task_id, rec, fields)
  end
  free_lock(item.scope, item.entry)
end

-- text: meta · detail: tail of the record · number: delay ms
function outcomes.retry(item, rec, now)
  rec.failed = tonumber(rec.failed) + 1
  return offer_later(item, rec, now, 'retrying')
end

function outcomes.defer(item, rec, now) return offer_later(item, rec, now, 'delayed') end

-- text: info · detail: tail of the record · number: ms the record is kept · reason, keep, most, failure: about the letter
function outcomes.dead(item, rec, now)
-- In here, so that a turn without a dead letter does not pay for functions that it does not use.
--@include letters
  local letter
  rec.failed = item.failed
  if item.keep then
    local about = {
      'dead.reason', item.reason, 'dead.source', item.entry, 'dead.info', item.text, 'dead.key', item.scope,
    }
    local head = '1\n' .. item.task_id .. '\n' .. item.name .. '\n\n'
    letter = add_letter(read_entry(stream, item.entry) or { 'head', head }, about, item.failure, now)
    count_letters('added', 1)
    dropped_letters = dropped_letters + drop_oldest(now, item.most, item.number, 10)
  end
  end_item(item, rec, 'dead', now, letter)
end

-- detail: tail of the record · number: ms the record is kept
function outcomes.expired(item, rec, now)
  rec.failed = item.failed
  end_item(item, rec, 'expired', now)
end

-- The token goes, so that a result that comes all the same is refused.
-- number: how often it was delivered when it is delivered next (task/delivery-count.ts)
function outcomes.release(item, rec)
  if item.task_id ~= '' and not read_entry(stream, item.entry) then return bury_item(item) end
  release(item.entry, tonumber(item.number))
  call('HDEL', owners_key, item.entry)
  rec.token = item.token
  if item.task_id ~= '' then write_record(item.task_id, rec) end
  free_lock(item.scope, item.entry)
  return 'released'
end

-- Why the caller does not own the entry (any more).
local function not_owner(task_id, token, owner)
  if owner then return 'fenced' end
  local rec = task_id ~= '' and read_record(task_id)
  if rec and rec.token == token then return 'already' end
  return rec and rec.state ~= 'waiting' and 'fenced' or 'gone'
end

local function settle(item, owner, now)
  if owner ~= item.token then return not_owner(item.task_id, item.token, owner) end
  local rec = item.task_id ~= '' and read_record(item.task_id) or new_record(item.name, '-', now)
  rec.hash = rec.hash or item.hash
  if cancels_instead(item, rec, now) then return 'cancelled' end
  return outcomes[item.kind](item, rec, now) or 'done'
end
