-- Creates a session, provided that the password which was verified is still the user's, and that operators have not signed the
-- user out since it was read.
-- ARGV.password_hash: the one that was verified
-- ARGV_FROM.fields: names and values in turn; `sign_outs` is the user's, as it was read
-- Reply {'created'}
-- Refusals {'password_changed'}: or the user is gone, disabled or was signed out
local function create_session(keys, args)
  if not password_is(KEYS.user, ARGV.password_hash) then
    return { 'password_changed' }
  end
  local sign_outs = false
  for i = ARGV_FROM.fields, #args, 2 do
    if args[i] == 'sign_outs' then
      sign_outs = args[i + 1]
    end
  end
  if sign_outs ~= redis.call('HGET', KEYS.user, 'sign_outs') then
    return { 'password_changed' }
  end
  local session = { prefix = ARGV.session_prefix, token_hash = ARGV.token_hash, expires_at = ARGV.expires_at, fields = { unpack(args, ARGV_FROM.fields) } }
  write_session(KEYS.sessions, session, tonumber(ARGV.sessions_max), now_millis())
  return { 'created' }
end

redis.register_function('corrente_create_session', create_session)
