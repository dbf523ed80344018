--@include names
--@include tokens
-- Tasks whose payload somebody deleted while they ran: Redis has forgotten that they are pending. Their worker has the
-- payload, and what it completes counts. A hash, `deleted`: entry to `<renewed at> <token>`.
local function is_in_stream(entry) return #call('XRANGE', stream, entry, entry) > 0 end

-- Keeps the lease of such a task. False where the entry is there: then somebody made the group anew.
local function renew_deleted(entry, token)
  if is_in_stream(entry) then return false end
  call('HSET', deleted_key(), entry, now_ms() .. ' ' .. token)
  call('EXPIRE', deleted_key(), OWNERS_TTL_S)
  return true
end
