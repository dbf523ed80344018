#!lua flags=allow-oom
-- Renews leases and the locks held with them, where the caller still owns the task; called without tasks too, as a sign
-- of life.
-- KEYS[1] stream
-- ARGV    consumer, lease ms, what the worker says of itself as JSON or '', then for each task: entry, token, lock scope
--         or ''
-- returns for each task 1, or 0 where it is no longer the caller's, or { mark } where it is to stop (lib/cancel.lua)
-- JUSTID resets the idle time and leaves the count of deliveries alone. A task whose payload was deleted stays the caller's.
--@include keys
--@include owners
--@include lock
--@include deleted
--@include heartbeat
local function renew(entry, token, scope, mark)
  if owner_of(entry) ~= token then return 0 end
  local is_pending = #call('XCLAIM', stream, GROUP, ARGV[1], 0, entry, 'JUSTID') > 0
  if not is_pending and not renew_deleted(entry, token) then return 0 end
  renew_lock(scope, entry, token)
  return mark and { mark } or 1
end

local entries, replies = {}, {}
for i = 4, #ARGV, 3 do entries[#entries + 1] = ARGV[i] end
local marks = #entries > 0 and call('HMGET', cancels_key(), unpack(entries)) or {}
for n = 1, #entries do
  local i = 3 * n + 1
  replies[n] = guarded(renew, ARGV[i], ARGV[i + 1], ARGV[i + 2], marks[n])
end
call('EXPIRE', owners_key, OWNERS_TTL_S)
if ARGV[3] ~= '' then
  call('HSET', workers_key(), ARGV[1], now_ms() .. ' ' .. ARGV[3])
  call('EXPIRE', workers_key(), OWNERS_TTL_S)
end
beat(tonumber(ARGV[2]))
return replies
