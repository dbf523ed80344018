#!lua flags=allow-oom
-- Drops dead letters that are past their retention, the oldest first.
-- KEYS[1] stream
-- ARGV    most letters, ms they are kept, the most to drop in this call
-- returns how many were dropped
-- Atomic: a letter and its place in the counts go together.
--@include keys
--@include entry
--@include letters
return drop_oldest(now_ms(), ARGV[1], ARGV[2], tonumber(ARGV[3]))
