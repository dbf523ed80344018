-- Appends one task, once: a known id with the same name and payload is a duplicate, with others a conflict.
local ITEM_SIZE = 8

-- `touch` writes the record of a duplicate again, so that this connection has a write whose fsync can be waited for.
local function known_task(i, rec, touch)
  if rec.name ~= ARGV[i + 1] or (rec.hash ~= '-' and rec.hash ~= ARGV[i + 5]) then return { 'conflict', '', '' } end
  if touch then redis.call('SET', record_key(ARGV[i]), pack_record(rec), 'KEEPTTL') end
  if rec.state == 'waiting' and owner_of(rec.entry) then rec.state = 'active' end
  return { 'duplicate', rec.entry, rec.state }
end

-- ARGV[i] on: id, name, key, head, body, hash, delay ms, run at ms. `text` is the record where there is one already.
local function append_task(i, text, now, touch)
  local id, name, hash, delay, run_at = ARGV[i], ARGV[i + 1], ARGV[i + 5], ARGV[i + 6], ARGV[i + 7]
  if text then
    local rec = parse_record(text)
    if not rec then error('the record of ' .. id .. ' cannot be read') end
    return known_task(i, rec, touch)
  end
  local state, entry, due = 'waiting', '-', '0'
  if delay ~= '0' or run_at ~= '0' then
    local later = math.max(tonumber(run_at), delay == '0' and 0 or tonumber(now) + tonumber(delay))
    if later > tonumber(now) then state, due = 'delayed', whole(later) end
  end
  if state == 'delayed' then
    park(id, { 'v', '1', 'id', id, 'task', name, 'key', ARGV[i + 2], 'head', ARGV[i + 3], 'body', ARGV[i + 4], 'meta', '' }, due)
  else
    entry = redis.call('XADD', stream, '*', 'v', '1', 'id', id, 'task', name, 'key', ARGV[i + 2], 'head', ARGV[i + 3],
      'body', ARGV[i + 4], 'meta', '')
  end
  redis.call('SET', record_key(id), state .. ' ' .. due .. ' ' .. entry .. ' - 0 0 ' .. hash .. ' ' .. now .. ' 0\n' .. name .. '\n')
  return { 'added', entry, state }
end
