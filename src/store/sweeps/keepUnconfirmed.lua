-- Remembers the items of an account's lists that no query confirms, in place of those that a sweep began with. What was noted since
-- stays.
-- ARGV.before_count, ARGV_FROM.before_then_items: keys of the items that it began with; then key, text, key, text, ...
-- Reply {'applied'}
local function keep_unconfirmed(keys, args)
  local items_from = ARGV_FROM.before_then_items + tonumber(ARGV.before_count)
  for i = ARGV_FROM.before_then_items, items_from - 1 do
    redis.call('HDEL', KEYS.unconfirmed, args[i])
  end
  for i = items_from, #args, 2 do
    redis.call('HSET', KEYS.unconfirmed, args[i], args[i + 1])
  end
  return { 'applied' }
end

redis.register_function('corrente_keep_unconfirmed', keep_unconfirmed)
