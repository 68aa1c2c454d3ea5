-- Ends an API key, and tells the streams that are open under it.
-- KEYS  1 keys of the mode  2 timers
-- ARGV  1 key id  2 api key prefix  3 timer member  4 hint channel  5 '1' = only where its time has come
-- Reply {'deleted'}
-- Refusals {'missing'} {'not_yet'}
local function delete_api_key(keys, args)
  local hash = redis.call('HGET', keys[1], args[1])
  if not hash then
    redis.call('ZREM', keys[2], args[3])
    return { 'missing' }
  end
  local record = args[2] .. hash
  local revoke_at = redis.call('HGET', record, 'revoke_at')
  local is_over = revoke_at and revoke_at ~= '' and tonumber(revoke_at) <= now_millis()
  if args[5] == '1' and not is_over then
    return { 'not_yet' }
  end
  redis.call('DEL', record)
  redis.call('HDEL', keys[1], args[1])
  redis.call('ZREM', keys[2], args[3])
  redis.call('PUBLISH', args[4], 'revoked ' .. args[1])
  return { is_over and args[5] ~= '1' and 'missing' or 'deleted' }
end

redis.register_function('corrente_delete_api_key', delete_api_key)
