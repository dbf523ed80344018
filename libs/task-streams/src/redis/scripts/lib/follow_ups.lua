--@include append
--@include entry
-- The tasks that a completion enqueues: all of them, or none.

-- Takes back what was appended in this very script, so that nobody has seen it.
local function take_back(stream_key, task_id, entry)
  use_queue(stream_key)
  if entry then call('XDEL', stream, entry) else forget_delayed(task_id) end
  call('DEL', record_key(task_id))
end

-- What will not be otherwise when it is sent again: somebody has to change something. A key that is "non local" is one of a slot
-- that is on the move: a queue of another slot was refused before the handler went on.
local PERMANENT = { '^NOPERM', '^ERR ACL failure', '^ERR The user executing', '^WRONGTYPE', 'cannot be read' }
local function is_permanent(reply)
  for _, pattern in ipairs(PERMANENT) do
    if string.find(reply, pattern) then return true end
  end
end

-- A follow-up may go to another queue. Answers why it is refused, and how it was added.
local function append_follow_up(stream_key, i, now)
  use_queue(stream_key)
  local ok, reply = pcall(append_task, i, now)
  use_queue(KEYS[1])
  if not ok then return text_of(reply), nil, true end
  if type(reply) == 'string' then return nil, { entry = reply } end
  if reply[1] == 'conflict' then return 'it is known with another name or payload' end
  return nil, reply[1] == 'added' and {} or nil
end

-- Each follow-up is in ARGV, beginning with the key of a stream. Answers why they cannot be added, nil where they
-- were. Throws what may work later.
local function append_follow_ups(first, last, now)
  local added = {}
  for i = first, last, ITEM_SIZE + 1 do
    local task_id = match(ARGV[i + 1], ID_AND_NAME)
    local refused, place, is_error = append_follow_up(ARGV[i], i + 1, now)
    if refused then
      for _, one in ipairs(added) do take_back(one.stream, one.task_id, one.entry) end
      use_queue(KEYS[1])
      if is_error and not is_permanent(refused) then error(refused) end
      return '"' .. task_id .. '" for ' .. ARGV[i] .. ': ' .. refused
    end
    if place then added[#added + 1] = { stream = ARGV[i], task_id = task_id, entry = place.entry } end
  end
end
