-- Completes a sign-in: uses its pending token and a second factor, and creates a stepped-up session.
-- ARGV.password_hash, ARGV.totp_secret (ciphertext): as they were when the factor was checked
-- ARGV.factor: 'totp' or 'backup'
-- ARGV.factor_value: see factor_is_fresh
-- ARGV.token_hash: of the new session's token
-- ARGV_FROM.fields: the session's names and values in turn
-- Reply {'verified'}
-- Refusals {'pending_gone'}: used, expired, voided, another user's, or two-factor is off  {'password_changed'}
--   {'factor_refused'}: already used, or the secret has changed
local function verify_second_step(keys, args)
  -- Only this sign-in knows the session's token, so this operation already created the session, but its reply was lost.
  if redis.call('EXISTS', ARGV.session_prefix .. ARGV.token_hash) == 1 then
    return { 'verified' }
  end
  local now = now_millis()
  local pending = redis.call('HMGET', KEYS.token, 'kind', 'user', 'expires_at')
  if pending[1] ~= 'second_factor' or pending[2] ~= ARGV.user_id or tonumber(pending[3]) <= now then
    return { 'pending_gone' }
  end
  if not is_of_now(KEYS.token, KEYS.user) then
    return { 'pending_gone' }
  end
  if not password_is(KEYS.user, ARGV.password_hash) then
    return { 'password_changed' }
  end
  local factor = redis.call('HMGET', KEYS.user, 'two_factor_enabled', 'totp_secret')
  if factor[1] ~= '1' then
    return { 'pending_gone' }
  end
  if factor[2] ~= ARGV.totp_secret or not factor_is_fresh(KEYS.user, KEYS.backup_codes, ARGV.factor, ARGV.factor_value) then
    return { 'factor_refused' }
  end
  local fields = {}
  for i = ARGV_FROM.fields, #args do
    fields[#fields + 1] = args[i]
  end
  local session = { prefix = ARGV.session_prefix, token_hash = ARGV.token_hash, expires_at = ARGV.expires_at, fields = fields }
  write_session(KEYS.sessions, session, tonumber(ARGV.sessions_max), now)
  local place = redis.call('HGET', KEYS.token, 'tried_as') or 'stranger'
  use_factor(KEYS.user, KEYS.backup_codes, ARGV.factor, ARGV.factor_value, place)
  redis.call('DEL', KEYS.token)
  return { 'verified' }
end

redis.register_function('corrente_verify_second_step', verify_second_step)
