-- Removes a consumer that holds nothing: removing it drops what is pending under it, for good. Answers how many.
local function remove_consumer(name)
  if #call('XPENDING', stream, GROUP, '-', '+', 1, name) > 0 then return 0 end
  call('XGROUP', 'DELCONSUMER', stream, GROUP, name)
  return 1
end
