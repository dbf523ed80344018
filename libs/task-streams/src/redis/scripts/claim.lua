#!lua flags=allow-oom
-- Claims entries that were delivered to this consumer in an answer that was lost. An entry that was reclaimed in between, or that is no longer there, is left out. Their leases begin anew.
-- KEYS[1] stream
-- ARGV    consumer, claim, then the entry ids
-- returns { now, deliveries, tasks that cannot be claimed } as in turn.lua
--@include core
--@include tokens
--@include identity
--@include claim_all
local entries, counts, mine = {}, {}, {}
for i = 3, #ARGV do
  local row = call('XPENDING', stream, GROUP, ARGV[i], ARGV[i], 1)[1]
  local entry = call('XRANGE', stream, ARGV[i], ARGV[i])[1]
  if row and row[2] == ARGV[1] and entry then
    entries[#entries + 1], mine[#mine + 1] = entry, ARGV[i]
    counts[ARGV[i]] = row[4]
  end
end
if #mine > 0 then
  local args = { ARGV[1], 0, unpack(mine) }
  args[#args + 1] = 'JUSTID'
  call('XCLAIM', stream, GROUP, unpack(args))
end
return claim_all(entries, function(entry) return counts[entry] end, ARGV[2], ARGV[1])
