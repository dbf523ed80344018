--@include record
--@include lock
--@include entry
--@include ages
-- Whether a dead letter may go back to its queue. Writes nothing.
local function without_dead_fields(letter)
  local fields = {}
  for i = 1, #letter, 2 do
    if string.sub(letter[i], 1, 5) ~= 'dead.' then
      fields[#fields + 1] = letter[i]
      fields[#fields + 1] = letter[i + 1]
    end
  end
  return fields
end

local function is_done(scope)
  local held = scope and call('GET', lock_key(scope))
  return held and string.sub(held, 1, 1) == 'D'
end

-- Removes what was left of the idempotency key: the done mark of a forced redrive, or a lock of the dead task itself.
local function free_key(scope, letter)
  if is_done(scope) then call('DEL', lock_key(scope))
  elseif scope then free_lock(scope, field_of(letter, 'dead.source')) end
end

-- Why a letter may not go back: unreadable, live, succeeded. Where it may, nil and its key scope or nil.
local function refusal(letter, task_id, name, key, rec, force)
  if task_id == '' or name == '' then return 'unreadable' end
  local is_completed = rec and rec.state == 'completed'
  if rec and not is_completed and is_copy(rec, '', task_id) then return 'live' end
  local scope = field_of(letter, 'dead.key') or ''
  if scope == '' then scope = key ~= '' and name .. '/' .. key or nil end
  if not force and (is_completed or is_done(scope)) then return 'succeeded' end
  return nil, scope
end

-- Answers movable and what there is to move: the letter, the fields of its task, task id, name, key scope or nil, record
-- or nil; or why it stays: gone, unreadable, live, succeeded.
local function judge(entry, force)
  local letter = read_entry(dead_key, entry)
  if not letter then return 'gone' end
  local fields = without_dead_fields(letter)
  local task_id, name, key = identity_of(fields)
  local rec = task_id ~= '' and read_record(task_id) or nil
  local why, scope = refusal(letter, task_id, name, key, rec, force)
  if why then return why end
  return 'movable', letter, fields, task_id, name, scope, rec
end
