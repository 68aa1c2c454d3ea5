-- Changes a user's password and, on request, ends all other sessions. The requesting session then continues under a
-- new token, because its old one may have been copied.
-- ARGV.old_hash: the one that was verified
-- ARGV.token_hash: of the session's token
-- ARGV.new_token_hash: '' = other sessions stay, and so does the token
-- Reply {'changed'}
-- Refusals {'password_changed'}: or the user is gone  {'no_session'}
local function change_password(keys, args)
  -- Hashes are salted and never repeat, so this operation already wrote it, but its reply was lost.
  if password_is(KEYS.user, ARGV.new_hash) then
    return { 'changed' }
  end
  if not password_is(KEYS.user, ARGV.old_hash) then
    return { 'password_changed' }
  end
  local session = current_session(KEYS.session)
  local token_hash = session == KEYS.session and ARGV.token_hash or string.sub(session, #ARGV.session_prefix + 1)
  local ends_at = redis.call('ZSCORE', KEYS.sessions, token_hash)
  if not ends_at or redis.call('EXISTS', session) == 0 then
    return { 'no_session' }
  end
  redis.call('HSET', KEYS.user, 'password_hash', ARGV.new_hash, 'updated_at', ARGV.now)
  -- Whoever sent wrong codes at sign-in no longer has the password.
  forget_tries(KEYS.user, 'known')
  forget_tries(KEYS.user, 'stranger')
  if ARGV.new_token_hash ~= '' then
    -- A renamed session keeps its id, its step-up and its expiry.
    redis.call('RENAME', session, ARGV.session_prefix .. ARGV.new_token_hash)
    redis.call('ZREM', KEYS.sessions, token_hash)
    end_sessions(KEYS.sessions, ARGV.session_prefix)
    redis.call('ZADD', KEYS.sessions, ends_at, ARGV.new_token_hash)
    redis.call('PEXPIREAT', KEYS.sessions, integer(tonumber(ends_at)))
  end
  return { 'changed' }
end

redis.register_function('corrente_change_password', change_password)
