-- Ends a tracker. Its record stays, disabled and without headers, so that what is owed to it ends as endpoint_disabled.
-- KEYS  1 destination  2 subscriptions
-- ARGV  1 destination id  2 operation id
-- Reply {'deleted'}
-- Refusals {'missing'}: there is none, or another operation has ended it
local function delete_tracker(keys, args)
  local record = redis.call('HMGET', keys[1], 'enabled', 'deleted_by')
  if record[1] ~= '1' then
    return { record[2] == args[2] and 'deleted' or 'missing' }
  end
  redis.call('HDEL', keys[2], args[1])
  redis.call('HDEL', keys[1], 'headers')
  redis.call('HSET', keys[1], 'enabled', '0', 'deleted_by', args[2])
  return { 'deleted' }
end

redis.register_function('corrente_delete_tracker', delete_tracker)
