-- Redeems a recovery token: turns the user's second factor off and ends all sessions (docs/contract/accounts.md#recovery).
-- ARGV.operation: names this request, so that a retry after a lost reply gets the same answer
-- ARGV.password_hash, ARGV.totp_secret (ciphertext): as they were when the token was checked
-- Reply {'recovered'}
-- Refusals {'token_used'}: or it is another user's, or the user is gone or disabled, or the password or the secret has changed
local function recover_two_factor(keys, args)
  -- This operation already turned it off, but its reply was lost.
  if redis.call('HGET', KEYS.user, 'recovered_by') == ARGV.operation then
    return { 'recovered' }
  end
  if redis.call('HGET', KEYS.token, 'user') ~= ARGV.user_id or redis.call('EXISTS', KEYS.user) == 0 then
    return { 'token_used' }
  end
  if not is_of_now(KEYS.token, KEYS.user) or redis.call('HEXISTS', KEYS.user, 'disabled_at') == 1 then
    return { 'token_used' }
  end
  local bound = redis.call('HMGET', KEYS.user, 'password_hash', 'totp_secret')
  if bound[1] ~= ARGV.password_hash or (bound[2] or '') ~= ARGV.totp_secret then
    return { 'token_used' }
  end
  forget_factor(KEYS.user, KEYS.backup_codes)
  redis.call(
    'HSET', KEYS.user, 'two_factor_enabled', '0', 'updated_at', ARGV.now, 'recovered_by', ARGV.operation
  )
  redis.call('DEL', KEYS.token)
  end_sessions(KEYS.sessions, ARGV.session_prefix)
  return { 'recovered' }
end

redis.register_function('corrente_recover_two_factor', recover_two_factor)
