-- Adds an API key that replaces another one, which keeps working for a grace period.
-- Reply {'rotated', when the old key ends (ms)}
-- Refusals {'missing'} {'seller_not_allowed'}: suspended {'scheduled'}: the old key is already being revoked
local function rotate_api_key(keys, args)
  local now = now_millis()
  local old_hash = redis.call('HGET', KEYS.keys_of_mode, ARGV.old_key_id)
  local old = old_hash and ARGV.api_key_prefix .. old_hash
  local revoke_at = old and redis.call('HGET', old, 'revoke_at')
  if not revoke_at or (revoke_at ~= '' and tonumber(revoke_at) <= now) then
    return { 'missing' }
  end
  if redis.call('EXISTS', KEYS.api_key) == 1 then
    return { 'rotated', revoke_at }
  end
  if redis.call('HGET', KEYS.seller, 'status') ~= 'active' then
    return { 'seller_not_allowed' }
  end
  if revoke_at ~= '' then
    return { 'scheduled' }
  end
  local ends_at = integer(now + tonumber(ARGV.grace_millis))
  write_api_key(KEYS.keys_of_mode, KEYS.api_key, ARGV.seller_id, ARGV.key_id, ARGV.mode, ARGV.name, ARGV.shown_prefix, ARGV.created_at, ARGV.key_hash)
  redis.call('HSET', old, 'revoke_at', ends_at)
  set_timers(KEYS.timers, ARGV.wake_channel, ARGV.old_key_id, { ARGV.timer_name, ends_at }, 1, 1)
  return { 'rotated', ends_at }
end

redis.register_function('corrente_rotate_api_key', rotate_api_key)
