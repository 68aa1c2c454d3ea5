-- Redeems a reset token: sets the password and ends all sessions. The token was mailed, so the address is verified too.
-- ARGV.old_hash: the password's hash when the token was checked
-- Reply {'reset'}
-- Refusals {'token_used'}: or it is another user's, the user is gone, or disabled, or the password has changed
local function reset_password(keys, args)
  -- Hashes are salted and never repeat, so this operation already wrote it, but its reply was lost.
  if password_is(KEYS.user, ARGV.new_hash) then
    return { 'reset' }
  end
  local is_good = redis.call('HGET', KEYS.token, 'user') == ARGV.user_id and is_of_now(KEYS.token, KEYS.user)
  if not is_good or not password_is(KEYS.user, ARGV.old_hash) then
    return { 'token_used' }
  end
  redis.call('HSET', KEYS.user, 'password_hash', ARGV.new_hash, 'email_verified', '1', 'updated_at', ARGV.now)
  -- Whoever sent wrong codes at sign-in no longer has the password. An operator's mailbox must not buy further guesses: without
  -- it, there is no recovery by mail either.
  if redis.call('HGET', KEYS.user, 'role') ~= 'admin' then
    forget_tries(KEYS.user, 'known')
    forget_tries(KEYS.user, 'stranger')
  end
  redis.call('DEL', KEYS.token)
  end_sessions(KEYS.sessions, ARGV.session_prefix)
  return { 'reset' }
end

redis.register_function('corrente_reset_password', reset_password)
