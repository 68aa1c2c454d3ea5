-- Turns a user's second factor on: the pending secret becomes the secret, and the session that proved it is stepped up. The
-- code that proved it is used up; steps of earlier secrets no longer count.
-- ARGV.pending_secret: ciphertext, as it was when the code was checked
-- ARGV.step: the TOTP step of the code
-- ARGV.until: when the step-up ends (ms)
-- ARGV.operation: names this request, so that a retry after a lost reply gets the same answer
-- KEYS.sessions, ARGV.session_prefix, ARGV.token_hash, ARGV.new_token_hash, ARGV.grace: move the session under a new token, as
--   stepUp.lua does
-- Reply {'on'}  {'moved'}: on, and the session is under its new token
-- Refusals {'no_session'} {'refused'}: the pending secret has changed, is gone, or is already in use
local function confirm_two_factor(keys, args)
  local key = current_session(KEYS.session)
  local session = redis.call('HMGET', key, 'user', 'mfa_operation')
  if session[1] ~= ARGV.user_id then
    return { 'no_session' }
  end
  local move = { prefix = ARGV.session_prefix, token_hash = ARGV.token_hash, new_token_hash = ARGV.new_token_hash, grace = ARGV.grace }
  if session[2] == ARGV.operation then
    return { is_moved(key, move) and 'moved' or 'on' }
  end
  if redis.call('HGET', KEYS.user, 'totp_secret_pending') ~= ARGV.pending_secret then
    return { 'refused' }
  end
  redis.call(
    'HSET', KEYS.user, 'totp_secret', ARGV.pending_secret, 'two_factor_enabled', '1', 'totp_last_step', ARGV.step,
    'updated_at', ARGV.now
  )
  redis.call('HDEL', KEYS.user, 'totp_secret_pending')
  forget_tries(KEYS.user, 'session')
  local moves = mark_stepped_up(KEYS.sessions, key, move, ARGV.until, ARGV.operation)
  return { moves and 'moved' or 'on' }
end

redis.register_function('corrente_confirm_two_factor', confirm_two_factor)
