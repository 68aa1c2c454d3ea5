-- Adds a webhook endpoint (docs/contract/endpoints.md#limits).
-- ARGV.subscription: as `is_subscribed` takes it
-- ARGV_FROM.fields: names and values in turn
-- Reply {'created'}
-- Refusals {'no_seller'} {'limit'}
local function create_endpoint(keys, args)
  if redis.call('EXISTS', KEYS.seller) == 0 then
    return { 'no_seller' }
  end
  if redis.call('ZSCORE', KEYS.endpoints, ARGV.endpoint_id) then
    return { 'created' }
  end
  if redis.call('ZCARD', KEYS.endpoints) >= tonumber(ARGV.endpoints_max) then
    return { 'limit' }
  end
  redis.call('HSET', KEYS.destination, unpack(args, ARGV_FROM.fields))
  redis.call('ZADD', KEYS.endpoints, 0, ARGV.endpoint_id)
  redis.call('HSET', KEYS.subscriptions, ARGV.endpoint_id, ARGV.subscription)
  return { 'created' }
end

redis.register_function('corrente_create_endpoint', create_endpoint)
