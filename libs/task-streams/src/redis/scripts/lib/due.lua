-- Moves a delayed task into the stream.
local function move_due(task_id, rec, body)
  local entry = append_entry(stream, cmsgpack.unpack(body))
  if rec then
    rec.state, rec.entry, rec.ended = 'waiting', entry, '0'
    write_record(task_id, rec)
  end
  forget_delayed(task_id)
end
