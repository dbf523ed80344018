#!lua flags=allow-oom
-- Writes down what somebody did to a queue.
-- KEYS[1] stream
-- ARGV    earlier record of this action or '', action, actor, reason, scope, operation, counts as JSON
-- returns the id of the record
--@include keys
--@include audit
return record_action(1, {})
