-- Remembers the items of an account's lists that no query confirms, in place of those before.
-- ARGV.items: key, text, key, text, ...
-- Reply {'applied'}
local function keep_unconfirmed(keys, args)
  redis.call('DEL', KEYS.unconfirmed)
  for i = ARGV_FROM.items, #args, 2 do
    redis.call('HSET', KEYS.unconfirmed, args[i], args[i + 1])
  end
  return { 'applied' }
end

redis.register_function('corrente_keep_unconfirmed', keep_unconfirmed)
