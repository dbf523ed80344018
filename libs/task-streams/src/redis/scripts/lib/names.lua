-- The rest of the keys, and numbers and notes as text.

-- The consumer that has what workers released until one of them takes it; no worker is called so.
local RELEASED = 'released'
local function body_key(task_id) return base .. 'd:' .. task_id end
local function log_key(task_id) return base .. 'l:' .. task_id end
local function lock_key(scope) return base .. 'k:' .. scope end
local function meta_key() return base .. 'meta' end
local function workers_key() return base .. 'workers' end
local function cancels_key() return base .. 'cancels' end
local function deleted_key() return base .. 'deleted' end
local function blocked_key() return base .. 'blocked' end

local function whole(number) return string.format('%.0f', number) end

-- A note of who and why, as JSON, with the time of this server as its first member.
local function dated(note, now) return '{"at":' .. now .. ',' .. string.sub(note, 2) end
