-- An entry has the fields head, body and, once it was tried, meta. Entries are copied inside Redis, byte for byte; only
-- meta is ever replaced. The head is lines: version, task id, task name, idempotency key or nothing, route or nothing, JSON or nothing.
local HEAD = '^[^\n]*\n([^\n]*)\n([^\n]*)\n([^\n]*)'

-- Task id, task name and key of an entry; empty where it has none.
local function identity_of(fields)
  if fields[1] ~= 'head' then return '', '', '' end
  local task_id, name, key = match(fields[2], HEAD)
  return task_id or '', name or '', key or ''
end

-- Whether this part of a text, up to the next space, begins at `from`.
local SPACE = byte(' ')
local function has_part(text, from, part)
  return string.find(text, part, from, true) == from and byte(text, from + #part) == SPACE
end
