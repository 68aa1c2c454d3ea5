-- Changes the password of a user who has verified the one before, and where it is asked ends all other sessions: the one
-- that asks goes on under another token, since whoever has copied the old one is an other.
-- KEYS  1 user  2 sessions  3 session of the one who asks
-- ARGV  1 password hash that was verified  2 new password hash  3 now (ms)  4 hash of the session's token
--       5 session prefix  6 hash of its new token ('' = other sessions stay, and so does its token)
-- Reply {'changed'}
-- Refusals {'password_changed'}: also where the user is gone  {'no_session'}: it has ended
local function change_password(keys, args)
  -- The hash bears its own salt: it was written by this very operation, whose reply was lost.
  if password_is(keys[1], args[2]) then
    return { 'changed' }
  end
  if not password_is(keys[1], args[1]) then
    return { 'password_changed' }
  end
  local ends_at = redis.call('ZSCORE', keys[2], args[4])
  if not ends_at or redis.call('EXISTS', keys[3]) == 0 then
    return { 'no_session' }
  end
  redis.call('HSET', keys[1], 'password_hash', args[2], 'updated_at', args[3])
  if args[6] ~= '' then
    -- Renamed, it keeps its id, its step-up and its end.
    redis.call('RENAME', keys[3], args[5] .. args[6])
    redis.call('ZREM', keys[2], args[4])
    end_sessions(keys[2], args[5])
    redis.call('ZADD', keys[2], ends_at, args[6])
    redis.call('PEXPIREAT', keys[2], integer(tonumber(ends_at)))
  end
  return { 'changed' }
end

redis.register_function('corrente_change_password', change_password)
