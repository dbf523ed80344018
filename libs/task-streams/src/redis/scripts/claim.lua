#!lua flags=allow-oom
-- Claims entries that a blocking read, which cannot be part of a script, has handed to this consumer. An entry that
-- somebody took over in between, or that is no longer there, is left out.
-- KEYS[1] stream
-- ARGV    consumer, claim, lease ms, then the entry ids
-- returns { now, deliveries as in turn.lua }
--@include core
--@include tokens
--@include identity
--@include claim
local entries, counts = {}, {}
for i = 4, #ARGV do
  local row = call('XPENDING', stream, GROUP, ARGV[i], ARGV[i], 1)[1]
  local entry = call('XRANGE', stream, ARGV[i], ARGV[i])[1]
  if row and row[2] == ARGV[1] and entry then
    entries[#entries + 1] = entry
    counts[ARGV[i]] = row[4]
  end
end
return claim_all(entries, function(entry) return counts[entry] end, ARGV[2], ARGV[3])
