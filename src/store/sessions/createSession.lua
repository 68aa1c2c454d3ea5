-- Begins a session for whoever verified the password that the user still has.
-- KEYS  1 user  2 sessions
-- ARGV  1 password hash, as it was verified  2 session prefix  3 hash of the token  4 end (ms)  5 most sessions of a user
--       6... fields and values in turn
-- Reply {'created'}
-- Refusals {'password_changed'}: or the user is gone
local function create_session(keys, args)
  if not password_is(keys[1], args[1]) then
    return { 'password_changed' }
  end
  local session = { prefix = args[2], token_hash = args[3], expires_at = args[4], fields = { unpack(args, 6) } }
  write_session(keys[2], session, tonumber(args[5]), now_millis())
  return { 'created' }
end

redis.register_function('corrente_create_session', create_session)
