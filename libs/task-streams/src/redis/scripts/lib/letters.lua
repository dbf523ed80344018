--@include entry
--@include names
-- Dead letters and the failure groups they are counted in.
--   dead:groups  hash: group → <letters there> <ever seen> <first seen> <last seen> <newest letter or '-'>\n<JSON of traits>
--   dead:empty   sorted set: groups without a letter, by when they were last seen; the first to make place for a new one
--   dead:counts  hash: letters added, redriven, discarded, imported, and dropped by retention, ever
-- A letter names the group it was counted in (`dead.group`), so that it leaves the same one.
local MAX_GROUPS, OTHER_GROUP = 1000, 'other'

local function dead_part(name) return base .. 'dead:' .. name end

-- Only bookkeeping: a key that somebody wrote over must not keep a letter from being kept, or make it be kept twice.
local function count_letters(what, number)
  if number > 0 then redis.pcall('HINCRBY', dead_part('counts'), what, number) end
end

--@include ages

local function read_group(id)
  local text = call('HGET', dead_part('groups'), id)
  if not text then return nil end
  local count, total, first, last, newest, traits = match(text, '^(%d+) (%d+) (%d+) (%d+) (%S+)\n(.*)$')
  return { count = tonumber(count), total = tonumber(total), first = first, last = last, newest = newest, traits = traits }
end

local function write_group(id, group)
  local text = whole(group.count) .. ' ' .. whole(group.total) .. ' ' .. group.first .. ' ' .. group.last .. ' ' .. group.newest
  call('HSET', dead_part('groups'), id, text .. '\n' .. group.traits)
end

-- The group to count a failure in: its own, or `other` where there is no place for one more.
local function place_for(fingerprint)
  if call('HEXISTS', dead_part('groups'), fingerprint) == 1 then return fingerprint end
  if call('HLEN', dead_part('groups')) < MAX_GROUPS then return fingerprint end
  local empty = call('ZPOPMIN', dead_part('empty'))[1]
  if not empty then return OTHER_GROUP end
  call('HDEL', dead_part('groups'), empty)
  return fingerprint
end

local function join_group(id, traits, letter, now)
  local group = read_group(id)
  if group and group.count == 0 then call('ZREM', dead_part('empty'), id) end
  group = group or { count = 0, total = 0, first = now, traits = id == OTHER_GROUP and '{}' or traits }
  group.count, group.total, group.last, group.newest = group.count + 1, group.total + 1, now, letter
  write_group(id, group)
end

local function leave_group(id, count, letters)
  local group = read_group(id)
  if not group or group.count == 0 then return end
  group.count = math.max(group.count - count, 0)
  if letters[group.newest] then group.newest = '-' end
  write_group(id, group)
  if group.count == 0 then call('ZADD', dead_part('empty'), group.last, id) end
end

-- Adds a letter: the fields of the task, and what is told about it. `failure` is
-- <fingerprint> <redrives before> <error class>\n<traits of the group as JSON>.
local function add_letter(fields, about, failure, now)
  local brief, fingerprint, traits = match(failure, '^((%S*) [^\n]*)\n(.*)$')
  if #fields > MAX_FIELDS then fields = { 'packed', cmsgpack.pack(fields) } end
  for _, value in ipairs(about) do fields[#fields + 1] = value end
  local ok, group = (fingerprint or '') ~= '', nil
  if ok then ok, group = pcall(place_for, fingerprint) end
  group = ok and group
  for _, value in ipairs({ 'dead.at', now, 'dead.group', group or '', 'dead.brief', brief or '' }) do fields[#fields + 1] = value end
  local letter = append_entry(dead_key, fields)
  if group then pcall(join_group, group, traits, letter, now) end
  return letter
end

-- Takes letters, each { entry, fields }, out of the counts of their groups.
local function leave_groups(rows)
  local letters, counts = {}, {}
  for _, row in ipairs(rows) do
    local group = field_of(row[2], 'dead.group')
    letters[row[1]] = true
    if group then counts[group] = (counts[group] or 0) + 1 end
  end
  for group, count in pairs(counts) do pcall(leave_group, group, count, letters) end
end

-- Removes letters; no more than some thousand.
local function remove_letters(rows)
  if #rows == 0 then return end
  local ids = {}
  for i, row in ipairs(rows) do ids[i] = row[1] end
  call('XDEL', dead_key, unpack(ids))
  leave_groups(rows)
end

local function remove_letter(letter, fields) remove_letters({ { letter, fields } }) end

-- Drops the oldest letters: those beyond `most`, and those older than `age` ms. One without a time goes with the next that
-- has one. No more than `limit` at a time, and read one by one, because their payloads may be large. Answers how many.
local function drop_oldest(now, most, age, limit)
  local horizon, over = tonumber(now) - tonumber(age), call('XLEN', dead_key) - tonumber(most)
  local from, seen, bytes, dropped, doubtful = '-', 0, 0, 0, {}
  while seen < limit and bytes < 1048576 do
    local row = call('XRANGE', dead_key, from, '+', 'COUNT', 1)[1]
    if not row then break end
    for _, value in ipairs(row[2]) do bytes = bytes + #value end
    local at = came_at(row[2])
    if seen >= over and at and at > horizon then break end
    seen, from, doubtful[#doubtful + 1] = seen + 1, '(' .. row[1], row
    if seen <= over or at then
      remove_letters(doubtful)
      dropped, doubtful = seen, {}
    end
  end
  count_letters('dropped', dropped)
  return dropped
end
