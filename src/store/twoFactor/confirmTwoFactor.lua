-- Turns a user's second factor on: its pending secret counts from now on, and the session that proved it is stepped up.
-- The step that proved it is used; steps of earlier secrets say nothing of this one.
-- KEYS  1 user  2 session
-- ARGV  1 user id  2 ciphertext of the pending secret, as it was read  3 step  4 the step-up's end (ms)  5 operation
--       6 now (ms)
-- Reply {'on'}
-- Refusals {'no_session'}: it has ended  {'refused'}: the pending secret is another one, none, or on already
local function confirm_two_factor(keys, args)
  local session = redis.call('HMGET', keys[2], 'user', 'mfa_operation')
  if session[1] ~= args[1] then
    return { 'no_session' }
  end
  if session[2] == args[5] then
    return { 'on' }
  end
  if redis.call('HGET', keys[1], 'totp_secret_pending') ~= args[2] then
    return { 'refused' }
  end
  redis.call(
    'HSET', keys[1], 'totp_secret', args[2], 'two_factor_enabled', '1', 'totp_last_step', args[3],
    'updated_at', args[6]
  )
  redis.call('HDEL', keys[1], 'totp_secret_pending', 'factor_tries')
  redis.call('HSET', keys[2], 'mfa_verified_until', args[4], 'mfa_operation', args[5])
  return { 'on' }
end

redis.register_function('corrente_confirm_two_factor', confirm_two_factor)
