-- Shared by the functions of accounts: users, their sessions and second factors. All keys of an account carry the tag of its
-- slot, `{uN}` (docs/decisions/0017-account-slots.md); session keys are built from a prefix in ARGV.

-- Whether the password that the caller verified is still the user's. Nobody has the password of a disabled user: what was
-- begun before the user was disabled comes to nothing.
local function password_is(user, password_hash)
  local record = redis.call('HMGET', user, 'password_hash', 'disabled_at')
  return record[1] == password_hash and not record[2]
end

-- Whether a token was issued since operators last signed its user out (shutOutUser.lua).
local function is_of_now(token, user)
  return redis.call('HGET', token, 'sign_outs') == redis.call('HGET', user, 'sign_outs')
end

-- Writes a session and its entry in the user's index; beyond `most`, the sessions that expire first are deleted.
--   session: {prefix, token_hash, expires_at, fields (names and values in turn)}
local function write_session(sessions, session, most, now)
  local key = session.prefix .. session.token_hash
  redis.call('HSET', key, unpack(session.fields))
  redis.call('PEXPIREAT', key, session.expires_at)
  redis.call('ZREMRANGEBYSCORE', sessions, '-inf', integer(now))
  redis.call('ZADD', sessions, session.expires_at, session.token_hash)
  local surplus = redis.call('ZCARD', sessions) - most
  if surplus > 0 then
    -- The new one stays, even if it expires first.
    local soonest = redis.call('ZRANGE', sessions, 0, surplus)
    for i = 1, #soonest do
      if surplus > 0 and soonest[i] ~= session.token_hash then
        redis.call('DEL', session.prefix .. soonest[i])
        redis.call('ZREM', sessions, soonest[i])
        surplus = surplus - 1
      end
    end
  end
  local longest = redis.call('ZRANGE', sessions, -1, -1, 'WITHSCORES')
  redis.call('PEXPIREAT', sessions, integer(tonumber(longest[2])))
end

-- The key of a session that may have got a new token since its key was made: `moved_to` leads from one token to the next.
local function current_session(key)
  local moved_to = redis.call('HGET', key, 'moved_to')
  while moved_to do
    key = moved_to
    moved_to = redis.call('HGET', key, 'moved_to')
  end
  return key
end

-- Lets the record under a session's token lead to the one under another token for `grace` ms, for requests that are under way.
--   session: {prefix, token_hash, new_token_hash, grace}
local function lead_to(sessions, session)
  local key = session.prefix .. session.token_hash
  redis.call('ZREM', sessions, session.token_hash)
  redis.call('HSET', key, 'moved_to', session.prefix .. session.new_token_hash)
  local left = redis.call('PTTL', key)
  if left < 0 or left > tonumber(session.grace) then
    redis.call('PEXPIRE', key, session.grace)
  end
end

-- Moves a session under a new token. What the record under the token before says of a step-up stays as it was.
local function move_session(sessions, session)
  local key = session.prefix .. session.token_hash
  local ends_at = redis.call('HGET', key, 'expires_at')
  redis.call('COPY', key, session.prefix .. session.new_token_hash)
  redis.call('ZADD', sessions, ends_at, session.new_token_hash)
  lead_to(sessions, session)
end

-- Whether a session is under the token that a step-up was to give it.
--   move: as `move_session` takes it; new_token_hash '' = the session keeps its token
local function is_moved(key, move)
  return move.new_token_hash ~= '' and key == move.prefix .. move.new_token_hash
end

-- Steps a session up, and moves it under its new token, unless it has got another one meanwhile. Returns whether it moved.
local function mark_stepped_up(sessions, key, move, until_millis, operation)
  local moves = move.new_token_hash ~= '' and key == move.prefix .. move.token_hash
  if moves then
    move_session(sessions, move)
    key = move.prefix .. move.new_token_hash
  end
  redis.call('HDEL', key, 'tries')
  redis.call('HSET', key, 'mfa_verified_until', until_millis, 'mfa_operation', operation)
  return moves
end

-- Ends all sessions of a user.
local function end_sessions(sessions, prefix)
  local hashes = redis.call('ZRANGE', sessions, 0, -1)
  for i = 1, #hashes do
    redis.call('DEL', prefix .. hashes[i])
  end
  redis.call('DEL', sessions)
end

-- Whether a session is stepped up (docs/contract/accounts.md#step-up). False if it has ended.
local function is_stepped_up(session, now)
  return (tonumber(redis.call('HGET', session, 'mfa_verified_until') or '') or 0) > now
end

-- Ends a row of wrong codes; place: 'session', 'known' or 'stranger' (begin_factor_try).
local function forget_tries(user, place)
  redis.call('HDEL', user, place .. '_tries', place .. '_tries_until')
end

-- Deletes all data of a user's second factor.
local function forget_factor(user, codes)
  redis.call('HDEL', user, 'totp_secret', 'totp_secret_pending', 'totp_last_step', 'backup_codes_session')
  forget_tries(user, 'session')
  forget_tries(user, 'known')
  forget_tries(user, 'stranger')
  redis.call('DEL', codes)
end

-- Whether a second factor is unused; use_factor uses it, after all other checks.
--   kind 'totp': value is the code's time step; a step at or before the last one used is refused (RFC 6238, 5.2)
--   kind 'backup': value is the code's hash
local function factor_is_fresh(user, codes, kind, value)
  if kind == 'totp' then
    local last = redis.call('HGET', user, 'totp_last_step')
    return not last or tonumber(value) > tonumber(last)
  end
  return redis.call('SISMEMBER', codes, value) == 1
end

-- Uses a second factor and ends the row of wrong codes of the place where it was sent.
local function use_factor(user, codes, kind, value, place)
  forget_tries(user, place)
  if kind == 'totp' then
    redis.call('HSET', user, 'totp_last_step', value)
  else
    redis.call('SREM', codes, value)
  end
end
