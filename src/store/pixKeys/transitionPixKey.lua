-- Takes a PIX key to another state; one that ends gives its value free.
-- KEYS  1 PIX key  2 values  3 index of the old status  4 index of the new one
--       5 the partition's index of the old status  6 the partition's index of the new one
-- ARGV  1 PIX key id  2 expected version  3 old status  4 new status  5 verified at ('' = as it is)
--       6 it ends ('1'/'0')
-- Reply {'applied'}
-- Refusals {'missing'} {'stale'}: status or version moved on
local function transition_pix_key(keys, args)
  local record = redis.call('HMGET', keys[1], 'status', 'version', 'value_hash')
  if not record[1] then
    return { 'missing' }
  end
  if record[1] ~= args[3] or record[2] ~= args[2] then
    return { 'stale' }
  end
  redis.call('HSET', keys[1], 'status', args[4], 'version', integer(tonumber(args[2]) + 1))
  if args[5] ~= '' then
    redis.call('HSET', keys[1], 'verified_at', args[5])
  end
  -- The value of a refused key may be another's by now.
  if args[6] == '1' and record[3] and redis.call('HGET', keys[2], record[3]) == args[1] then
    redis.call('HDEL', keys[2], record[3])
  end
  redis.call('ZREM', keys[3], args[1])
  redis.call('ZADD', keys[4], 0, args[1])
  redis.call('ZREM', keys[5], args[1])
  redis.call('ZADD', keys[6], 0, args[1])
  return { 'applied' }
end

redis.register_function('corrente_transition_pix_key', transition_pix_key)
