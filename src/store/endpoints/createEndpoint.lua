-- Adds a webhook endpoint, unless its mode is full (spec 4.3).
-- KEYS  1 seller  2 endpoints  3 destination  4 subscriptions
-- ARGV  1 endpoint id  2 most endpoints of a mode  3 subscription ('*' or ',type,type,'), then field-value strings
-- Reply {'created'}
-- Refusals {'no_seller'} {'limit'}
local function create_endpoint(keys, args)
  if redis.call('EXISTS', keys[1]) == 0 then
    return { 'no_seller' }
  end
  if redis.call('ZSCORE', keys[2], args[1]) then
    return { 'created' }
  end
  if redis.call('ZCARD', keys[2]) >= tonumber(args[2]) then
    return { 'limit' }
  end
  redis.call('HSET', keys[3], unpack(args, 4))
  redis.call('ZADD', keys[2], 0, args[1])
  redis.call('HSET', keys[4], args[1], args[3])
  return { 'created' }
end

redis.register_function('corrente_create_endpoint', create_endpoint)
