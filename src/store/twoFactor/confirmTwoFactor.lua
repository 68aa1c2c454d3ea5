-- Turns a user's second factor on: its pending secret counts from now on, and the session that proved it is stepped up.
-- The step that proved it is used; steps of earlier secrets say nothing of this one.
-- ARGV.pending_secret: ciphertext of the pending secret, as it was read
-- ARGV.until: the step-up's end (ms)
-- Reply {'on'}
-- Refusals {'no_session'}: it has ended  {'refused'}: the pending secret is another one, none, or on already
local function confirm_two_factor(keys, args)
  local session = redis.call('HMGET', KEYS.session, 'user', 'mfa_operation')
  if session[1] ~= ARGV.user_id then
    return { 'no_session' }
  end
  if session[2] == ARGV.operation then
    return { 'on' }
  end
  if redis.call('HGET', KEYS.user, 'totp_secret_pending') ~= ARGV.pending_secret then
    return { 'refused' }
  end
  redis.call(
    'HSET', KEYS.user, 'totp_secret', ARGV.pending_secret, 'two_factor_enabled', '1', 'totp_last_step', ARGV.step,
    'updated_at', ARGV.now
  )
  redis.call('HDEL', KEYS.user, 'totp_secret_pending', 'factor_tries')
  redis.call('HSET', KEYS.session, 'mfa_verified_until', ARGV.until, 'mfa_operation', ARGV.operation)
  return { 'on' }
end

redis.register_function('corrente_confirm_two_factor', confirm_two_factor)
