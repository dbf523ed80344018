#!lua
-- Adds dead letters that were exported, from here or elsewhere, each once.
-- KEYS[1] stream
-- ARGV    number of the batch, the record of the action (7, see lib/audit.lua), ms they are remembered and their records
--         kept, the most to remember, then for each letter: its length from here, source, entry it had, failure (as in
--         lib/letters.lua), number of fields of the task, fields of the task, fields about the letter
-- returns { audit record, replies }, one reply a letter: { imported, entry }, { duplicate }, or { error, text }
-- Atomic for each letter: it and the memory of it are there together. Safe to repeat.
-- `dead:imported` remembers sources for as long as letters are kept.
--@include keys
--@include end
--@include entry
--@include letters
--@include audit
--@include operation
local now, ttl, known = now_ms(), ARGV[9], dead_part('imported')

-- Whether the letter is here: it was imported before, or never left.
local function is_here(source, entry)
  if call('ZSCORE', known, source) then return true end
  local letter = entry ~= '' and read_entry(dead_key, entry)
  return letter and field_of(letter, 'dead.source') .. ' ' .. (identity_of(letter)) == source
end

local function keep_record(task_id, name)
  if task_id == '' or call('EXISTS', record_key(task_id)) == 1 then return end
  local rec = new_record(name, '-', now)
  end_task(task_id, rec, 'dead', now, { tail = '', keep = ttl })
end

local function import(at)
  local source, entry, failure, count = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], tonumber(ARGV[at + 4])
  if is_here(source, entry) then return { 'duplicate' } end
  local fields, about = {}, {}
  for i = at + 5, at + 4 + count do fields[#fields + 1] = ARGV[i] end
  for i = at + 5 + count, at + tonumber(ARGV[at]) - 1 do about[#about + 1] = ARGV[i] end
  local letter = add_letter(fields, about, failure, now)
  call('ZADD', known, now, source)
  keep_record(identity_of(fields))
  count_letters('imported', 1)
  return { 'imported', letter }
end

local places, i = {}, 11
while i <= #ARGV do
  places[#places + 1] = i
  i = i + tonumber(ARGV[i])
end
call('ZREMRANGEBYSCORE', known, '-inf', whole(tonumber(now) - tonumber(ttl)))
local answer = run_batch(places, import)
call('ZREMRANGEBYRANK', known, 0, -1 - tonumber(ARGV[10]))
call('PEXPIRE', known, ttl)
return answer
