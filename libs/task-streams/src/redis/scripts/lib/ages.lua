-- Ages by the clock of Redis. The id of an entry is when it was added, or later: one entry with an id from the future puts all
-- ids after it there.

-- The last one: what a script adds comes after what a sender may have forged.
local function field_of(fields, name)
  for i = #fields - 1, 1, -2 do if fields[i] == name then return fields[i + 1] end end
end

-- When a letter came; nil for one that was written by hand.
local function came_at(fields) return tonumber(field_of(fields, 'dead.at') or '') end
