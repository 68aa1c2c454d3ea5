-- Adds an API key in another's place, which ends after a while.
-- KEYS  1 keys of the mode  2 api key, the new one  3 timers
-- ARGV  1 seller id  2 id of the old key  3 grace in ms  4 api key prefix  5 key id  6 mode  7 name  8 shown prefix
--       9 created at  10 hash of the key  11 timer name  12 wake channel
-- Reply {'rotated', when the old key ends (ms)}
-- Refusals {'missing'} {'scheduled'}: the old key is being revoked already
local function rotate_api_key(keys, args)
  local now = now_millis()
  local old_hash = redis.call('HGET', keys[1], args[2])
  local old = old_hash and args[4] .. old_hash
  local revoke_at = old and redis.call('HGET', old, 'revoke_at')
  if not revoke_at or (revoke_at ~= '' and tonumber(revoke_at) <= now) then
    return { 'missing' }
  end
  if redis.call('EXISTS', keys[2]) == 1 then
    return { 'rotated', revoke_at }
  end
  if revoke_at ~= '' then
    return { 'scheduled' }
  end
  local ends_at = integer(now + tonumber(args[3]))
  write_api_key(keys[1], keys[2], args[1], args[5], args[6], args[7], args[8], args[9], args[10])
  redis.call('HSET', old, 'revoke_at', ends_at)
  set_timers(keys[3], args[12], args[2], { args[11], ends_at }, 1, 1)
  return { 'rotated', ends_at }
end

redis.register_function('corrente_rotate_api_key', rotate_api_key)
