#!lua
-- Whether writes to a queue are accepted: Redis refuses a script that may write where it would refuse the write itself (its
-- memory is full, it is a replica, it cannot write to its disk). Writes nothing.
-- KEYS[1] stream
-- returns 1
return 1
