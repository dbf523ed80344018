#!lua flags=no-writes
-- What other programs do with the keys of a queue.
-- KEYS[1] stream
-- ARGV    the keys to look at, without what is common to the keys of the queue
-- returns { the type of each of them, the names of the consumer groups of the stream beside the one of the workers }
--@include keys
local types, groups = {}, {}
for n, part in ipairs(ARGV) do types[n] = call('TYPE', base .. part).ok end
for _, row in ipairs(call('TYPE', stream).ok == 'stream' and call('XINFO', 'GROUPS', stream) or {}) do
  for i = 1, #row, 2 do
    if row[i] == 'name' and row[i + 1] ~= GROUP then groups[#groups + 1] = row[i + 1] end
  end
end
return { types, groups }
