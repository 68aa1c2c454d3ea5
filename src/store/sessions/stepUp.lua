-- Uses a second factor to step up a session (docs/contract/accounts.md#step-up). An ended session stays ended.
-- ARGV.password_hash, ARGV.totp_secret (ciphertext): as they were when the factor was checked
-- ARGV.factor: 'totp' or 'backup'
-- ARGV.factor_value: see factor_is_fresh
-- ARGV.until: when the step-up ends (ms)
-- ARGV.operation: names this request, so that a retry after a lost reply gets the same answer
-- ARGV.new_token_hash: of the token that the session has from then on; '' = it keeps its token. A session that got another
--   token meanwhile keeps that one
-- ARGV.grace: ms
-- Reply {'stepped_up'}  {'moved'}: under the new token
-- Refusals {'no_session'} {'password_changed'} {'off'} {'factor_refused'}: already used, or the secret has changed
--   {'own_code'}: a backup code that this session generated, which proves nothing about who holds the session
local function step_up(keys, args)
  local key = current_session(KEYS.session)
  local session = redis.call('HMGET', key, 'user', 'mfa_operation', 'id')
  if session[1] ~= ARGV.user_id then
    return { 'no_session' }
  end
  local move = { prefix = ARGV.session_prefix, token_hash = ARGV.token_hash, new_token_hash = ARGV.new_token_hash, grace = ARGV.grace }
  if session[2] == ARGV.operation then
    return { is_moved(key, move) and 'moved' or 'stepped_up' }
  end
  if not password_is(KEYS.user, ARGV.password_hash) then
    return { 'password_changed' }
  end
  local factor = redis.call('HMGET', KEYS.user, 'two_factor_enabled', 'totp_secret', 'backup_codes_session')
  if factor[1] ~= '1' then
    return { 'off' }
  end
  if factor[2] ~= ARGV.totp_secret or not factor_is_fresh(KEYS.user, KEYS.backup_codes, ARGV.factor, ARGV.factor_value) then
    return { 'factor_refused' }
  end
  if ARGV.factor == 'backup' and factor[3] == session[3] then
    return { 'own_code' }
  end
  use_factor(KEYS.user, KEYS.backup_codes, ARGV.factor, ARGV.factor_value, 'session')
  local moves = mark_stepped_up(KEYS.sessions, key, move, ARGV.until, ARGV.operation)
  return { moves and 'moved' or 'stepped_up' }
end

redis.register_function('corrente_step_up', step_up)
