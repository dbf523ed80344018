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

-- The last one: what a script adds comes after what a sender may have forged.
local function field_of(fields, name)
  for i = #fields - 1, 1, -2 do if fields[i] == name then return fields[i + 1] end end
end

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

local function leave_group(id, letter)
  local group = id and read_group(id)
  if not group or group.count == 0 then return end
  group.count = group.count - 1
  if group.newest == letter then group.newest = '-' end
  write_group(id, group)
  if group.count == 0 then call('ZADD', dead_part('empty'), group.last, id) end
end

-- Adds a letter: the fields of the task, and what is told about it. `failure` is <fingerprint>\n<traits>.
local function add_letter(fields, about, failure, now)
  local fingerprint, traits = match(failure, '^(%S+)\n(.*)$')
  if #fields > MAX_FIELDS then fields = { 'packed', cmsgpack.pack(fields) } end
  for _, value in ipairs(about) do fields[#fields + 1] = value end
  local ok, group = pcall(place_for, fingerprint)
  group = fingerprint and ok and group
  fields[#fields + 1], fields[#fields + 2] = 'dead.group', group or ''
  local letter = append_entry(dead_key, fields)
  if group then pcall(join_group, group, traits, letter, now) end
  return letter
end

local function remove_letter(letter, fields)
  call('XDEL', dead_key, letter)
  pcall(leave_group, field_of(fields, 'dead.group'), letter)
end

-- Drops the oldest letters: those beyond `most`, and those older than `age` ms. No more than `limit` at a time, and one by
-- one, because their payloads may be large. Answers how many, and how many bytes they had.
local function drop_oldest(now, most, age, limit)
  local horizon, over = whole(math.max(tonumber(now) - tonumber(age), 0)), call('XLEN', dead_key) - tonumber(most)
  local dropped, bytes = 0, 0
  while dropped < limit and bytes < 1048576 do
    local oldest = call('XRANGE', dead_key, '-', dropped < over and '+' or horizon, 'COUNT', 1)[1]
    if not oldest then break end
    for _, value in ipairs(oldest[2]) do bytes = bytes + #value end
    remove_letter(oldest[1], oldest[2])
    dropped = dropped + 1
  end
  count_letters('dropped', dropped)
  return dropped
end
