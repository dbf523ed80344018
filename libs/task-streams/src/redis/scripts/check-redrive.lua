#!lua flags=no-writes
-- What redrive.lua would say, without doing it.
-- KEYS[1] stream
-- ARGV    force (1 or 0), then the entries of the dead-letter stream
-- returns for each: movable, or gone, unreadable, live, succeeded
--@include keys
--@include record
--@include entry
--@include lock
--@include letters
--@include redrivable
local verdicts = {}
for i = 2, #ARGV do verdicts[#verdicts + 1] = (judge(ARGV[i], ARGV[1] == '1')) end
return verdicts
