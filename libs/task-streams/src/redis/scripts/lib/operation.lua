--@include audit
-- One batch of an operation on many letters. A repeat of the same batch, after a reply that was lost, gets the same reply
-- and does nothing: `op:<operation>` keeps the number of the last batch and what was answered.
local OPERATION_TTL_MS = 600000

local function places_from(first, size)
  local places = {}
  for i = first, #ARGV, size do places[#places + 1] = i end
  return places
end

-- ARGV[1] is the number of the batch, ARGV[2] on what lib/audit.lua takes. Runs `run` for the item at each place of ARGV.
-- Answers { audit record, replies }, each reply { kind, … } or { 'error', text }.
local function run_batch(places, run)
  local key = base .. 'op:' .. ARGV[7]
  local done = call('GET', key)
  if done then
    local number, reply = cmsgpack.unpack(done)
    if number == ARGV[1] then return reply end
  end
  local replies, tally = {}, {}
  for _, i in ipairs(places) do
    local reply = guarded(run, i)
    if type(reply) == 'string' then reply = { 'error', string.sub(reply, 7) } end
    tally[reply[1]] = (tally[reply[1]] or 0) + 1
    replies[#replies + 1] = reply
  end
  local answer = { record_action(2, tally), replies }
  call('SET', key, cmsgpack.pack(ARGV[1], answer), 'PX', OPERATION_TTL_MS)
  return answer
end
