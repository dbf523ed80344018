-- Keeps the record for ttl milliseconds; for ever where ttl is nil; not at all where it is 0.
local function write_text(task_id, text, ttl)
  if not ttl then call('SET', record_key(task_id), text)
  elseif ttl == '0' then call('DEL', record_key(task_id))
  else call('SET', record_key(task_id), text, 'PX', ttl) end
end
