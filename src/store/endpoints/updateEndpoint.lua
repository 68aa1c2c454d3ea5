-- Changes a webhook endpoint; fan-out follows.
-- KEYS  1 destination  2 endpoints  3 subscriptions
-- ARGV  1 endpoint id  2 enabled ('1', '0', '' = as it is), then field-value strings
-- Reply {'updated', fields and values in turn, secrets among them...}
-- Refusals {'missing'}
local function subscription_of(events)
  local listed = ',' .. events .. ','
  return string.find(listed, ',*,', 1, true) and '*' or listed
end

local function update_endpoint(keys, args)
  if not redis.call('ZSCORE', keys[2], args[1]) then
    return { 'missing' }
  end
  if #args > 2 then
    redis.call('HSET', keys[1], unpack(args, 3))
  end
  local is_enabled = redis.call('HGET', keys[1], 'enabled') == '1'
  if args[2] == '1' and not is_enabled then
    redis.call('HSET', keys[1], 'enabled', '1', 'dead_streak', 0)
    redis.call('HDEL', keys[1], 'disabled_reason', 'auto_disabled_at')
  elseif args[2] == '0' and is_enabled then
    redis.call('HSET', keys[1], 'enabled', '0', 'disabled_reason', 'manual')
    redis.call('HDEL', keys[1], 'auto_disabled_at')
  end
  local record = redis.call('HMGET', keys[1], 'enabled', 'events')
  if record[1] == '1' then
    redis.call('HSET', keys[3], args[1], subscription_of(record[2]))
  else
    redis.call('HDEL', keys[3], args[1])
  end
  return { 'updated', unpack(redis.call('HGETALL', keys[1])) }
end

redis.register_function('corrente_update_endpoint', update_endpoint)
