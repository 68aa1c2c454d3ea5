-- Changes a webhook endpoint and what fan-out sends to it.
-- KEYS.feed: where disabling begins and ends
-- ARGV.enabled: '1', '0' or '' = unchanged
-- ARGV_FROM.fields: names and values in turn
-- Reply {'updated', names and values in turn, secrets included}
-- Refusals {'missing'}
local function subscription_of(events, ordering)
  local listed = ',' .. events .. ','
  local subscription = string.find(listed, ',*,', 1, true) and '*' or listed
  return ordering == 'resource' and '>' .. subscription or subscription
end

-- `keeps_turns` says that claims look for turns: while the endpoint is ordered, and until what waited then has ended.
local function keep_turns(keys, ordering, keeps_turns)
  if ordering == 'resource' then
    redis.call('HSET', KEYS.destination, 'keeps_turns', '1')
  elseif keeps_turns and redis.call('EXISTS', turns_key(KEYS.destination)) == 0 then
    redis.call('HDEL', KEYS.destination, 'keeps_turns')
  end
end

local function update_endpoint(keys, args)
  if not redis.call('ZSCORE', KEYS.endpoints, ARGV.endpoint_id) then
    return { 'missing' }
  end
  if #args >= ARGV_FROM.fields then
    redis.call('HSET', KEYS.destination, unpack(args, ARGV_FROM.fields))
  end
  local is_enabled = redis.call('HGET', KEYS.destination, 'enabled') == '1'
  if ARGV.enabled == '1' and not is_enabled then
    redis.call('HSET', KEYS.destination, 'enabled', '1', 'dead_streak', 0)
    redis.call('HDEL', KEYS.destination, 'disabled_reason', 'auto_disabled_at')
    end_outage(KEYS.destination, KEYS.feed)
  elseif ARGV.enabled == '0' and is_enabled then
    redis.call('HSET', KEYS.destination, 'enabled', '0', 'disabled_reason', 'manual')
    redis.call('HDEL', KEYS.destination, 'auto_disabled_at')
    begin_outage(KEYS.destination, KEYS.feed)
  end
  local record = redis.call('HMGET', KEYS.destination, 'enabled', 'events', 'ordering', 'keeps_turns')
  keep_turns(keys, record[3], record[4])
  if record[1] == '1' then
    redis.call('HSET', KEYS.subscriptions, ARGV.endpoint_id, subscription_of(record[2], record[3]))
  else
    redis.call('HDEL', KEYS.subscriptions, ARGV.endpoint_id)
  end
  return { 'updated', unpack(redis.call('HGETALL', KEYS.destination)) }
end

redis.register_function('corrente_update_endpoint', update_endpoint)
