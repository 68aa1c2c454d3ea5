-- Turns a user's second factor off: its secrets and backup codes go, and all sessions end. The password alone is not
-- enough: the session that asks must be stepped up.
-- KEYS  1 user  2 backup codes  3 sessions  4 session of the one who asks
-- ARGV  1 password hash that was verified  2 session prefix  3 now (ms)
-- Reply {'off'}
-- Refusals {'password_changed'}: also where the user is gone  {'was_off'}  {'not_stepped_up'}
local function disable_two_factor(keys, args)
  if not password_is(keys[1], args[1]) then
    return { 'password_changed' }
  end
  if redis.call('HGET', keys[1], 'two_factor_enabled') ~= '1' then
    -- The session that asks was alive when its request came: what ended it since has turned the factor off.
    if redis.call('EXISTS', keys[4]) == 0 then
      return { 'off' }
    end
    return { 'was_off' }
  end
  if not is_stepped_up(keys[4], tonumber(args[3])) then
    return { 'not_stepped_up' }
  end
  redis.call('HSET', keys[1], 'two_factor_enabled', '0', 'updated_at', args[3])
  forget_factor(keys[1], keys[2])
  end_sessions(keys[3], args[2])
  return { 'off' }
end

redis.register_function('corrente_disable_two_factor', disable_two_factor)
