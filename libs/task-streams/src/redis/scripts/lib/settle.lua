-- One function an outcome. Each runs only for the owner, writes the destination before it removes the source, and
-- leaves the token in the record, so that a repeat is told from a stranger.
local outcomes = {}

-- A follow-up may go to another queue. Its id is made from the id of its parent, so that a repeat adds nothing.
local function append_follow_up(follow_up, now)
  use_queue(follow_up.stream)
  local ok, reply = pcall(append_task, follow_up.task, now)
  use_queue(KEYS[1])
  if not ok then error(reply) end
  if reply[1] == 'conflict' then error('the follow-up ' .. follow_up.task.id .. ' is known with another payload') end
end

-- detail: tail of the record · number: ms the record is kept · extra: key scope to commit, its ttl, its result
function outcomes.complete(item, rec, now)
  for _, follow_up in ipairs(item.follow_ups) do append_follow_up(follow_up, now) end
  remove_entry(item.entry)
  rec.state, rec.ended, rec.tail = 'completed', now, item.detail
  if item.task_id ~= '' then write_record(item.task_id, rec, item.number) end
  if item.commit_ttl > 0 then commit_lock(item.scope, rec.hash, item.task_id, item.text, item.commit_ttl) end
end

local function put_off(item, rec, now, state)
  local fields = read_entry(stream, item.entry)
  if not fields then
    remove_entry(item.entry)
    return 'gone'
  end
  set_meta(fields, item.text)
  rec.entry = '-'
  if item.number > 0 then
    park(item.task_id, fields, now + item.number)
    rec.state, rec.ended = state, now + item.number
  else
    rec.entry = append_entry(stream, fields)
    rec.state = 'waiting'
  end
  remove_entry(item.entry)
  rec.tail = item.detail
  write_record(item.task_id, rec)
  free_lock(item.scope, item.entry)
end

-- text: meta · detail: tail of the record · number: delay ms
function outcomes.retry(item, rec, now)
  rec.failed = tonumber(rec.failed) + 1
  return put_off(item, rec, now, 'retrying')
end

function outcomes.defer(item, rec, now) return put_off(item, rec, now, 'delayed') end

-- text: info · detail: tail of the record · number: ms the record is kept · reason, keep, most: about the letter
function outcomes.dead(item, rec, now)
  rec.entry = '-'
  if item.keep then
    local fields = read_entry(stream, item.entry) or {}
    if #fields > MAX_FIELDS then fields = { 'packed', cmsgpack.pack(fields) } end
    for _, value in ipairs({ 'dead.reason', item.reason, 'dead.source', item.entry, 'dead.info', item.text }) do
      fields[#fields + 1] = value
    end
    rec.entry = append_entry(dead_key, fields)
    redis.call('XTRIM', dead_key, 'MAXLEN', '~', item.most)
    redis.call('XTRIM', dead_key, 'MINID', '~', whole(math.max(now - item.number, 0)))
  end
  remove_entry(item.entry)
  rec.state, rec.ended, rec.tail, rec.failed = 'dead', now, item.detail, item.failed
  if item.task_id ~= '' then write_record(item.task_id, rec, item.number) end
  free_lock(item.scope, item.entry)
end

-- A large idle time lets the next sweep of any worker take it at once; the count of hand-outs is given back.
function outcomes.release(item, rec)
  redis.call('XCLAIM', stream, GROUP, item.consumer, 0, item.entry, 'IDLE', 3600000, 'RETRYCOUNT',
    math.max(tonumber(item.deliveries) - 1, 0), 'JUSTID')
  rec.state = 'waiting'
  if item.task_id ~= '' then write_record(item.task_id, rec) end
  free_lock(item.scope, item.entry)
end

local function settle(item, now)
  local owner, rec = check_owner(item.entry, item.task_id, item.token, item.consumer, item.deliveries)
  if owner ~= 'own' then return owner end
  rec = rec or new_record(item.name, '-', now)
  rec.token = item.token
  return outcomes[item.kind](item, rec, now) or 'done'
end
