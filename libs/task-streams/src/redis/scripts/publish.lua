#!lua
-- Writes down what happened to tasks, for who follows the queue.
-- KEYS[1] stream
-- ARGV    changes kept, then for each change: kind, task id, task name, details as JSON or ''
-- returns nothing
--@include keys
for i = 2, #ARGV, 4 do
  call('XADD', base .. 'events', 'MAXLEN', '~', ARGV[1], '*', 'kind', ARGV[i], 'id', ARGV[i + 1], 'name', ARGV[i + 2],
    'details', ARGV[i + 3])
end
