-- Uses a second factor for a session, which may make sensitive changes from then on (spec 5.3). A session that has ended
-- stays so.
-- KEYS  1 user  2 backup codes  3 session
-- ARGV  1 user id  2 password hash, as it was read  3 ciphertext of the TOTP secret, as it was read
--       4 factor ('totp' or 'backup')  5 its value (see use_factor)  6 the step-up's end (ms)  7 operation
-- Reply {'stepped_up'}
-- Refusals {'no_session'}  {'password_changed'}  {'off'}  {'factor_refused'}: it is used, or the secret is another one
--   {'own_code'}: a backup code that this very session made, which proves nothing of whoever holds the session
local function step_up(keys, args)
  local session = redis.call('HMGET', keys[3], 'user', 'mfa_operation', 'id')
  if session[1] ~= args[1] then
    return { 'no_session' }
  end
  if session[2] == args[7] then
    return { 'stepped_up' }
  end
  if not password_is(keys[1], args[2]) then
    return { 'password_changed' }
  end
  local factor = redis.call('HMGET', keys[1], 'two_factor_enabled', 'totp_secret', 'backup_codes_session')
  if factor[1] ~= '1' then
    return { 'off' }
  end
  if factor[2] ~= args[3] or not factor_is_fresh(keys[1], keys[2], args[4], args[5]) then
    return { 'factor_refused' }
  end
  if args[4] == 'backup' and factor[3] == session[3] then
    return { 'own_code' }
  end
  use_factor(keys[1], keys[2], args[4], args[5])
  redis.call('HSET', keys[3], 'mfa_verified_until', args[6], 'mfa_operation', args[7])
  return { 'stepped_up' }
end

redis.register_function('corrente_step_up', step_up)
