-- Turns a user's second factor off: secrets and backup codes are deleted and all sessions end. The password is not enough:
-- the session must be stepped up.
-- ARGV.password_hash: the one that was verified
-- Reply {'off'}
-- Refusals {'password_changed'}: or the user is gone  {'was_off'}  {'not_stepped_up'}
local function disable_two_factor(keys, args)
  if not password_is(KEYS.user, ARGV.password_hash) then
    return { 'password_changed' }
  end
  if redis.call('HGET', KEYS.user, 'two_factor_enabled') ~= '1' then
    -- The session existed when the request arrived, so whatever ended it also turned the factor off.
    if redis.call('EXISTS', KEYS.session) == 0 then
      return { 'off' }
    end
    return { 'was_off' }
  end
  if not is_stepped_up(KEYS.session, tonumber(ARGV.now)) then
    return { 'not_stepped_up' }
  end
  redis.call('HSET', KEYS.user, 'two_factor_enabled', '0', 'updated_at', ARGV.now)
  forget_factor(KEYS.user, KEYS.backup_codes)
  end_sessions(KEYS.sessions, ARGV.session_prefix)
  return { 'off' }
end

redis.register_function('corrente_disable_two_factor', disable_two_factor)
