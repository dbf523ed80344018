#!lua flags=no-writes
-- Looks at dead letters before a redrive: what they are, and whether redrive.lua would move them. Their payloads stay here.
-- KEYS[1] stream
-- ARGV    force (1 or 0), redrives after which one stays, from, to, came at the earliest, came at the latest, the most letters to
--         look at, the most of a kind to name that would go, the most of a kind to name that would stay
-- returns { next letter to look at or '' at the end, letters looked at, letters of those that came too late, kinds }; each kind
--         { verdict, task, reason, fingerprint, group, error class, letters, then entry, task id and detail of the first ones }
-- The verdict is movable, failed (with the detail), or why it would stay. A megabyte of letters ends it, too.
--@include keys
--@include record
--@include entry
--@include lock
--@include letters
--@include redrivable
--@include brief
local force, max_redrives, from, till, most = ARGV[1] == '1', tonumber(ARGV[2]), ARGV[3], ARGV[4], tonumber(ARGV[7])
local earliest, latest, named = tonumber(ARGV[5]), tonumber(ARGV[6]), { [true] = 3 * ARGV[8], [false] = 3 * ARGV[9] }
local FIRST_CHUNK, MAX_CHUNK, CHUNK_BYTES, MAX_BYTES, SIZE = 10, 100, 131072, 1048576, 7
local seen, late, bytes, size, kinds, by_key = 0, 0, 0, FIRST_CHUNK, {}, {}

-- Of a dead task the rest of the record tells nothing more.
local DEAD = { state = 'dead', entry = '-' }
local function record_of(task_id, text)
  if text and sub(text, 1, 5) == 'dead ' then return DEAD end
  return task_id ~= '' and read_record(task_id) or nil
end

local function verdict_of(letter, task_id, name, key, text, redrives)
  local why = refusal(letter, task_id, name, key, record_of(task_id, text), force)
  if why ~= 'unreadable' and not force and redrives >= max_redrives then return 'max-redrives' end
  return why or 'movable'
end

local function count(entry, letter, text)
  local task_id, name, key = identity_of(letter)
  local fingerprint, redrives, class = brief_of(letter)
  local verdict, detail = guarded(verdict_of, letter, task_id, name, key, text, redrives), ''
  if sub(verdict, 1, 6) == 'error:' then verdict, detail = 'failed', sub(verdict, 7) end
  local reason, group = field_of(letter, 'dead.reason') or '', field_of(letter, 'dead.group') or ''
  local id = table.concat({ verdict, name, reason, fingerprint, group, class }, '\n')
  local kind = by_key[id]
  if not kind then
    kind = { verdict, name, reason, fingerprint, group, class, 0 }
    kinds[#kinds + 1], by_key[id] = kind, kind
  end
  kind[SIZE] = kind[SIZE] + 1
  if #kind < SIZE + named[verdict == 'movable'] then
    for _, value in ipairs({ entry, task_id, detail }) do kind[#kind + 1] = value end
  end
end

local function look(rows)
  local keys = {}
  for i, row in ipairs(rows) do keys[i] = record_key((identity_of(row[2]))) end
  local texts, HOUR_MS = call('MGET', unpack(keys)), 3600000
  for i, row in ipairs(rows) do
    local at = came_at(row[2]) or tonumber(match(row[1], '^%d+'))
    if at > latest + HOUR_MS then late = late + 1 end
    if at >= earliest and at <= latest then count(row[1], row[2], texts[i]) end
  end
end

while from ~= '' and seen < most and bytes < MAX_BYTES do
  local rows = call('XRANGE', dead_key, from, till, 'COUNT', math.min(size, most - seen))
  for _, row in ipairs(rows) do
    for _, value in ipairs(row[2]) do bytes = bytes + #value end
  end
  if #rows > 0 then look(rows) end
  seen, from = seen + #rows, rows[1] and '(' .. rows[#rows][1] or ''
  size = math.max(1, math.min(MAX_CHUNK, math.floor(CHUNK_BYTES * seen / (bytes + 1))))
end
return { from, seen, late, kinds }
