--@include ages
-- What a preview wants to know of a letter, beside its task: fingerprint, redrives before it, error class. It has a field of its
-- own, because the JSON of `dead.info` is long. A letter that was written by hand may have none.
local BRIEF = '^(%S*) (%d+) ([^\n]*)'
local function brief_of(fields)
  local fingerprint, redrives, class = match(field_of(fields, 'dead.brief') or '', BRIEF)
  if fingerprint then return fingerprint, tonumber(redrives), class end
  local ok, info = pcall(cjson.decode, field_of(fields, 'dead.info') or '')
  info = ok and type(info) == 'table' and info or {}
  local class_of = type(info.error) == 'table' and info.error.name
  return tostring(info.fingerprint or ''), tonumber(info.redriveCount) or 0, type(class_of) == 'string' and class_of or ''
end
