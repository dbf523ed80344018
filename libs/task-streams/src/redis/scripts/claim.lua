#!lua flags=allow-oom
-- Claims entries that a blocking read, which cannot be part of a script, has handed to this consumer. An entry that
-- somebody took over in between, or that is no longer there, is left out.
-- KEYS[1] stream
-- ARGV    consumer, claim, lease ms, then the entry ids
-- returns { now, deliveries as in turn.lua }
--@include keys
--@include record
--@include owners
--@include lock
--@include entry
--@include claim
local entries, counts = {}, {}
for i = 4, #ARGV do
  local row, fields = pending_row(ARGV[i]), read_entry(stream, ARGV[i])
  if row and row[2] == ARGV[1] and fields then
    entries[#entries + 1] = { ARGV[i], fields }
    counts[ARGV[i]] = row[4]
  end
end
return claim_all(entries, function(entry) return counts[entry] end, ARGV[2], ARGV[3])
