-- Makes a mode's tracker, or gives the one that is there another URL and other headers (decisions 5).
-- ARGV.subscription: subscription (',type,type,')
-- ARGV.created_at: created at, where it is made
-- ARGV_FROM.fields: field-value strings
-- Reply {'put', created at}
-- Refusals {'no_seller'}
local function put_tracker(keys, args)
  if redis.call('EXISTS', KEYS.seller) == 0 then
    return { 'no_seller' }
  end
  local record = redis.call('HMGET', KEYS.destination, 'enabled', 'created_at')
  local created_at = record[1] == '1' and record[2] or ARGV.created_at
  redis.call('HSET', KEYS.destination, 'created_at', created_at, 'enabled', '1', unpack(args, ARGV_FROM.fields))
  redis.call('HDEL', KEYS.destination, 'deleted_by')
  redis.call('HSET', KEYS.subscriptions, ARGV.destination_id, ARGV.subscription)
  return { 'put', created_at }
end

redis.register_function('corrente_put_tracker', put_tracker)
