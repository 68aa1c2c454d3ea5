-- Uses a token of a reset: the user has a new password, and all its sessions end. That it was mailed verifies the address.
-- KEYS  1 token  2 user  3 sessions
-- ARGV  1 user id  2 new password hash  3 session prefix  4 now (ms)  5 password hash that the token was found good under
-- Reply {'reset'}
-- Refusals {'token_used'}: or it is another user's, or the user is gone, or the password has changed meanwhile
local function reset_password(keys, args)
  -- The hash bears its own salt: it was written by this very operation, whose reply was lost.
  if password_is(keys[2], args[2]) then
    return { 'reset' }
  end
  if redis.call('HGET', keys[1], 'user') ~= args[1] or not password_is(keys[2], args[5]) then
    return { 'token_used' }
  end
  redis.call('HSET', keys[2], 'password_hash', args[2], 'email_verified', '1', 'updated_at', args[4])
  redis.call('DEL', keys[1])
  end_sessions(keys[3], args[3])
  return { 'reset' }
end

redis.register_function('corrente_reset_password', reset_password)
