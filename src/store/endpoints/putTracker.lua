-- Creates a mode's tracker, or replaces the URL and headers of the existing one (docs/contract/deliveries.md#trackers).
-- ARGV.subscription: ',type,type,'
-- ARGV.created_at: used only if the tracker is new
-- ARGV_FROM.fields: names and values in turn
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
