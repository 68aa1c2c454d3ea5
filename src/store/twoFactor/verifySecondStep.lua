-- Completes a sign-in: its pending credential and a second factor are used, and its session is written, stepped up.
-- KEYS  1 user  2 backup codes  3 pending token  4 sessions
-- ARGV  1 user id  2 password hash, as it was read  3 ciphertext of the TOTP secret, as it was read
--       4 factor ('totp' or 'backup')  5 its value (see use_factor)
--       6 session prefix  7 hash of the session's token  8 its end (ms)  9 most sessions of a user
--       10... its fields and values in turn
-- Reply {'verified'}
-- Refusals {'pending_gone'}: used, expired, of another user, or 2FA is off  {'password_changed'}  {'factor_refused'}: it
--   is used, or the secret is another one
local function verify_second_step(keys, args)
  -- The token of a session is its sign-in's alone: it was written by this very operation, whose reply was lost.
  if redis.call('EXISTS', args[6] .. args[7]) == 1 then
    return { 'verified' }
  end
  local now = now_millis()
  local pending = redis.call('HMGET', keys[3], 'kind', 'user', 'expires_at')
  if pending[1] ~= 'second_factor' or pending[2] ~= args[1] or tonumber(pending[3]) <= now then
    return { 'pending_gone' }
  end
  if not password_is(keys[1], args[2]) then
    return { 'password_changed' }
  end
  local factor = redis.call('HMGET', keys[1], 'two_factor_enabled', 'totp_secret')
  if factor[1] ~= '1' then
    return { 'pending_gone' }
  end
  if factor[2] ~= args[3] or not factor_is_fresh(keys[1], keys[2], args[4], args[5]) then
    return { 'factor_refused' }
  end
  local fields = {}
  for i = 10, #args do
    fields[#fields + 1] = args[i]
  end
  local session = { prefix = args[6], token_hash = args[7], expires_at = args[8], fields = fields }
  write_session(keys[4], session, tonumber(args[9]), now)
  use_factor(keys[1], keys[2], args[4], args[5])
  redis.call('DEL', keys[3])
  return { 'verified' }
end

redis.register_function('corrente_verify_second_step', verify_second_step)
