-- The list `wake`: idle workers wait for a mark in it, and Redis gives a mark to the one that has waited longest. Everything that
-- makes "there is work, and it may be delivered" true leaves one, and one is enough: a worker that gets it leaves the next where
-- more is left. Before the first write of what it tells of: a user that may not write it is refused whole.
local marked
local function leave_mark()
  if marked == base then return end
  marked = base
  if call('EXISTS', base .. 'wake') == 0 then call('LPUSH', base .. 'wake', '1') end
end
