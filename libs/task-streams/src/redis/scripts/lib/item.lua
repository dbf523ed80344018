-- A settlement that is not a usual end, by the names that lib/settle.lua has for its parts.
local function item_of(i, consumer)
  local item = {
    consumer = consumer, entry = ARGV[i], task_id = ARGV[i + 1], token = ARGV[i + 2], kind = ARGV[i + 3],
    name = ARGV[i + 4], started = ARGV[i + 5], deliveries = ARGV[i + 6], scope = ARGV[i + 7], text = ARGV[i + 8],
    detail = ARGV[i + 9], number = ARGV[i + 10], commit_ttl = ARGV[i + 11], reason = ARGV[i + 12],
    keep = ARGV[i + 13] == '1', most = ARGV[i + 14], failed = ARGV[i + 15], failure = ARGV[i + 16], hash = ARGV[i + 17],
    dead_keep = ARGV[i + 18],
    follow_ups = i + ITEM_HEAD,
  }
  item.last = item.follow_ups - 1 + (ITEM_SIZE + 1) * tonumber(ARGV[i + 19])
  return item
end
