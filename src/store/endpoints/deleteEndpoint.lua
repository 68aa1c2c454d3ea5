-- Deletes a webhook endpoint (docs/contract/endpoints.md#deletion). Its record stays while deliveries may be owed to it.
-- KEYS.postbacks: also lists deleted endpoints, so that the test clock still finds their deliveries
-- Reply {'deleted'}
-- Refusals {'missing'}
local function delete_endpoint(keys, args)
  if redis.call('ZREM', KEYS.endpoints, ARGV.endpoint_id) == 0 then
    -- This same operation may have deleted it already, and its reply was lost.
    local is_ours = redis.call('HGET', KEYS.destination, 'deleted_by') == ARGV.operation
    return { is_ours and 'deleted' or 'missing' }
  end
  redis.call('HSET', KEYS.destination, 'enabled', '0', 'deleted_by', ARGV.operation)
  redis.call('PEXPIRE', KEYS.destination, ARGV.retention_millis)
  redis.call('HDEL', KEYS.subscriptions, ARGV.endpoint_id)
  local now = now_millis()
  redis.call('ZADD', KEYS.postbacks, integer(now), ARGV.endpoint_id)
  redis.call('ZREMRANGEBYSCORE', KEYS.postbacks, '-inf', '(' .. integer(now - tonumber(ARGV.retention_millis)))
  series.end_of_endpoint(KEYS.destination, now)
  -- The rows of its attempts expire within the retention; an attempt that is still owed extends it.
  if KEYS.attempts_of_endpoint then
    redis.call('PEXPIRE', KEYS.attempts_of_endpoint, ARGV.retention_millis)
  end
  return { 'deleted' }
end

redis.register_function('corrente_delete_endpoint', delete_endpoint)
