-- Uses a token of a reset: the user has a new password, and all its sessions end. That it was mailed verifies the address.
-- ARGV.old_hash: password hash that the token was found good under
-- Reply {'reset'}
-- Refusals {'token_used'}: or it is another user's, or the user is gone, or the password has changed meanwhile
local function reset_password(keys, args)
  -- The hash bears its own salt: it was written by this very operation, whose reply was lost.
  if password_is(KEYS.user, ARGV.new_hash) then
    return { 'reset' }
  end
  if redis.call('HGET', KEYS.token, 'user') ~= ARGV.user_id or not password_is(KEYS.user, ARGV.old_hash) then
    return { 'token_used' }
  end
  redis.call('HSET', KEYS.user, 'password_hash', ARGV.new_hash, 'email_verified', '1', 'updated_at', ARGV.now)
  redis.call('DEL', KEYS.token)
  end_sessions(KEYS.sessions, ARGV.session_prefix)
  return { 'reset' }
end

redis.register_function('corrente_reset_password', reset_password)
