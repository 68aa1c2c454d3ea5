-- Records a provider's notice with the timer that processes it, unless a rightly signed one told of the same event: then
-- that one is tried again now, where it is not done yet. A notice with a bad signature is only kept to be looked at.
-- KEYS  1 notice  2 index  3 index of those unprocessed  4 index of those with a bad signature  5 seen  6 timers
-- ARGV  1 notice id  2 signature is valid ('1'/'0')  3 retention ms  4 id below which the indexes are too old
--       5 most notices with a bad signature  6 what stands before an id in a notice's key  7 wake channel  8 timer name,
--       then field-value strings
-- Reply {'received', id}  {'duplicate', id of the first}
local function receive_notice(keys, args)
  local id = args[1]
  local now = integer(now_millis())
  local is_valid = args[2] == '1'
  local first = is_valid and redis.call('GET', keys[5])
  -- A reply that was lost is asked for again under the same id.
  if first == id or (not is_valid and redis.call('EXISTS', keys[1]) == 1) then
    return { 'received', id }
  end
  local processed_at = first and redis.call('HGET', args[6] .. first, 'processed_at')
  if processed_at then
    if processed_at == '' then
      set_timers(keys[6], args[7], first, { args[8], now }, 1, 1)
    end
    return { 'duplicate', first }
  end
  redis.call('HSET', keys[1], 'signature_valid', args[2], 'attempts', '0', 'processed_at', '', 'error', '',
    'reprocessed_at', '', unpack(args, 9))
  redis.call('PEXPIRE', keys[1], args[3])
  for index = 2, 4 do
    redis.call('ZREMRANGEBYLEX', keys[index], '-', '(' .. args[4])
  end
  redis.call('ZADD', keys[2], 0, id)
  if is_valid then
    redis.call('ZADD', keys[3], 0, id)
    redis.call('SET', keys[5], id, 'PX', args[3])
    set_timers(keys[6], args[7], id, { args[8], now }, 1, 1)
    return { 'received', id }
  end
  redis.call('ZADD', keys[4], 0, id)
  local excess = redis.call('ZCARD', keys[4]) - tonumber(args[5])
  if excess > 0 then
    local oldest = redis.call('ZRANGE', keys[4], 0, excess - 1)
    for i = 1, #oldest do
      redis.call('UNLINK', args[6] .. oldest[i])
      redis.call('ZREM', keys[2], oldest[i])
      redis.call('ZREM', keys[4], oldest[i])
    end
  end
  return { 'received', id }
end

redis.register_function('corrente_receive_notice', receive_notice)
