-- Makes a mode's tracker, or gives the one that is there another URL and other headers (decisions 5).
-- KEYS  1 seller  2 destination  3 subscriptions
-- ARGV  1 destination id  2 subscription (',type,type,')  3 created at, where it is made, then field-value strings
-- Reply {'put', created at}
-- Refusals {'no_seller'}
local function put_tracker(keys, args)
  if redis.call('EXISTS', keys[1]) == 0 then
    return { 'no_seller' }
  end
  local record = redis.call('HMGET', keys[2], 'enabled', 'created_at')
  local created_at = record[1] == '1' and record[2] or args[3]
  redis.call('HSET', keys[2], 'created_at', created_at, 'enabled', '1', unpack(args, 4))
  redis.call('HDEL', keys[2], 'deleted_by')
  redis.call('HSET', keys[3], args[1], args[2])
  return { 'put', created_at }
end

redis.register_function('corrente_put_tracker', put_tracker)
