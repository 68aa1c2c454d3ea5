-- Deletes a tracker. Its record stays, disabled and without headers, so that owed deliveries end as endpoint_disabled.
-- Reply {'deleted'}
-- Refusals {'missing'}: there is none, or another operation deleted it
local function delete_tracker(keys, args)
  local record = redis.call('HMGET', KEYS.destination, 'enabled', 'deleted_by')
  if record[1] ~= '1' then
    return { record[2] == ARGV.operation and 'deleted' or 'missing' }
  end
  redis.call('HDEL', KEYS.subscriptions, ARGV.destination_id)
  redis.call('HDEL', KEYS.destination, 'headers')
  redis.call('HSET', KEYS.destination, 'enabled', '0', 'deleted_by', ARGV.operation)
  return { 'deleted' }
end

redis.register_function('corrente_delete_tracker', delete_tracker)
