-- Changes the password of a user who has verified the one before, and where it is asked ends all other sessions: the one
-- that asks goes on under another token, since whoever has copied the old one is an other.
-- ARGV.old_hash: password hash that was verified
-- ARGV.token_hash: hash of the session's token
-- ARGV.new_token_hash: hash of its new token ('' = other sessions stay, and so does its token)
-- Reply {'changed'}
-- Refusals {'password_changed'}: also where the user is gone  {'no_session'}: it has ended
local function change_password(keys, args)
  -- The hash bears its own salt: it was written by this very operation, whose reply was lost.
  if password_is(KEYS.user, ARGV.new_hash) then
    return { 'changed' }
  end
  if not password_is(KEYS.user, ARGV.old_hash) then
    return { 'password_changed' }
  end
  local ends_at = redis.call('ZSCORE', KEYS.sessions, ARGV.token_hash)
  if not ends_at or redis.call('EXISTS', KEYS.session) == 0 then
    return { 'no_session' }
  end
  redis.call('HSET', KEYS.user, 'password_hash', ARGV.new_hash, 'updated_at', ARGV.now)
  if ARGV.new_token_hash ~= '' then
    -- Renamed, it keeps its id, its step-up and its end.
    redis.call('RENAME', KEYS.session, ARGV.session_prefix .. ARGV.new_token_hash)
    redis.call('ZREM', KEYS.sessions, ARGV.token_hash)
    end_sessions(KEYS.sessions, ARGV.session_prefix)
    redis.call('ZADD', KEYS.sessions, ends_at, ARGV.new_token_hash)
    redis.call('PEXPIREAT', KEYS.sessions, integer(tonumber(ends_at)))
  end
  return { 'changed' }
end

redis.register_function('corrente_change_password', change_password)
