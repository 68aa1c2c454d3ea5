-- Begins a session for whoever verified the password that the user still has.
-- ARGV.password_hash: password hash, as it was verified
-- Reply {'created'}
-- Refusals {'password_changed'}: or the user is gone
local function create_session(keys, args)
  if not password_is(KEYS.user, ARGV.password_hash) then
    return { 'password_changed' }
  end
  local session = { prefix = ARGV.session_prefix, token_hash = ARGV.token_hash, expires_at = ARGV.expires_at, fields = { unpack(args, ARGV_FROM.fields) } }
  write_session(KEYS.sessions, session, tonumber(ARGV.sessions_max), now_millis())
  return { 'created' }
end

redis.register_function('corrente_create_session', create_session)
