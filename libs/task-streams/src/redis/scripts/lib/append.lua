-- Appends one task, once: a known id with the same name and payload is a duplicate, with others a conflict.
-- `touch` writes the record of a duplicate again, so that this connection has a write whose fsync can be waited for.
local function append_task(item, now, touch)
  local rec = read_record(item.id)
  if rec then
    if rec.name ~= item.task or (rec.hash ~= '-' and rec.hash ~= item.hash) then return { 'conflict', '', '' } end
    if touch then redis.call('SET', record_key(item.id), redis.call('GET', record_key(item.id)), 'KEEPTTL') end
    return { 'duplicate', rec.entry, rec.state }
  end
  local fields = {
    'v', '1', 'id', item.id, 'task', item.task, 'key', item.key, 'head', item.head, 'body', item.body, 'meta', '',
  }
  rec = new_record(item.task, item.hash, now)
  local due = math.max(item.run_at, item.delay > 0 and now + item.delay or 0)
  if due > now then
    park(item.id, fields, due)
    rec.state, rec.ended = 'delayed', due
  else
    rec.entry = append_entry(stream, fields)
  end
  write_record(item.id, rec)
  return { 'added', rec.entry, rec.state }
end

-- Reads the eight arguments of one task from ARGV.
local ITEM_SIZE = 8
local function item_at(i)
  return {
    id = ARGV[i], task = ARGV[i + 1], key = ARGV[i + 2], head = ARGV[i + 3], body = ARGV[i + 4], hash = ARGV[i + 5],
    delay = tonumber(ARGV[i + 6]), run_at = tonumber(ARGV[i + 7]),
  }
end
