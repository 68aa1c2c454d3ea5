-- Deletes an API key and closes the streams that use it.
-- ARGV.only_if_due: '1' = only if its revocation time has passed
-- Reply {'deleted'}
-- Refusals {'missing'} {'not_yet'}
local function delete_api_key(keys, args)
  local hash = redis.call('HGET', KEYS.keys_of_mode, ARGV.key_id)
  if not hash then
    redis.call('ZREM', KEYS.timers, ARGV.timer)
    return { 'missing' }
  end
  local record = ARGV.api_key_prefix .. hash
  local revoke_at = redis.call('HGET', record, 'revoke_at')
  local is_over = revoke_at and revoke_at ~= '' and tonumber(revoke_at) <= now_millis()
  if ARGV.only_if_due == '1' and not is_over then
    return { 'not_yet' }
  end
  redis.call('DEL', record)
  redis.call('HDEL', KEYS.keys_of_mode, ARGV.key_id)
  redis.call('ZREM', KEYS.timers, ARGV.timer)
  redis.call('PUBLISH', ARGV.hint_channel, 'revoked ' .. ARGV.key_id)
  return { is_over and ARGV.only_if_due ~= '1' and 'missing' or 'deleted' }
end

redis.register_function('corrente_delete_api_key', delete_api_key)
