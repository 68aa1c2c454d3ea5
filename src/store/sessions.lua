-- Sessions of users (docs/accounts.md#sessions). A session's record is under the hash of its token; a sorted set for each user has
-- the hashes of its sessions by their end. All keys of an account carry the tag of its slot, `{uN}`
-- (docs/accounts.md#where-accounts-live).

-- The key of a user's session by its token's hash.
--   index: the sorted set of the user's sessions
local function session_key(index, token_hash)
  return key_names.session(tag_of(index), token_hash)
end

-- The token's hash, in which a session's key ends.
local function token_hash_of(session)
  return string.match(session, '[^:]*$')
end

-- The key of a session that may have got a new token since its key was made: `moved_to` leads from one token to the next.
function sessions.current(session)
  local moved_to = redis.call('HGET', session, 'moved_to')
  while moved_to do
    session = moved_to
    moved_to = redis.call('HGET', session, 'moved_to')
  end
  return session
end

-- Notes when a user was last seen.
--   of: a key in the slot of the user
local function note_seen(of, user_id, now)
  local user = key_names.user(tag_of(of), user_id)
  if redis.call('EXISTS', user) == 1 then
    redis.call('HSET', user, 'last_seen_at', integer(now))
  end
end

-- Writes a session and its entry in the user's index; beyond `sessionsMax`, the sessions that expire first are deleted.
--   session: tokenHash, expiresAt, fields, sessionsMax
function sessions.write(index, session, now)
  local key = session_key(index, session.tokenHash)
  set_fields(key, session.fields)
  redis.call('PEXPIREAT', key, session.expiresAt)
  redis.call('ZREMRANGEBYSCORE', index, '-inf', integer(now))
  redis.call('ZADD', index, session.expiresAt, session.tokenHash)
  local surplus = redis.call('ZCARD', index) - session.sessionsMax
  if surplus > 0 then
    -- The new one stays, even if it expires first.
    for _, token_hash in ipairs(redis.call('ZRANGE', index, 0, surplus)) do
      if surplus > 0 and token_hash ~= session.tokenHash then
        redis.call('DEL', session_key(index, token_hash))
        redis.call('ZREM', index, token_hash)
        surplus = surplus - 1
      end
    end
  end
  local longest = redis.call('ZRANGE', index, -1, -1, 'WITHSCORES')
  redis.call('PEXPIREAT', index, integer(tonumber(longest[2])))
  note_seen(index, session.fields.user, now)
end

-- Whether a user's session exists under a token.
function sessions.exists(index, token_hash)
  return redis.call('EXISTS', session_key(index, token_hash)) == 1
end

-- Ends all sessions of a user.
function sessions.end_all(index)
  for _, token_hash in ipairs(redis.call('ZRANGE', index, 0, -1)) do
    redis.call('DEL', session_key(index, token_hash))
  end
  redis.call('DEL', index)
end

-- Notes in all sessions of a user the team that it joins.
--   change: sellerId, memberId
function sessions.join_team(index, change)
  for _, token_hash in ipairs(redis.call('ZRANGE', index, 0, -1)) do
    local session = session_key(index, token_hash)
    if redis.call('EXISTS', session) == 1 then
      redis.call('HSET', session, 'seller_id', change.sellerId, 'member_id', change.memberId)
    end
  end
end

-- Ends all sessions of a user but one, which continues under a new token with its id, its step-up and its expiry.
function sessions.end_all_but(index, session, new_token_hash)
  local ends_at = redis.call('ZSCORE', index, token_hash_of(session))
  redis.call('RENAME', session, session_key(index, new_token_hash))
  redis.call('ZREM', index, token_hash_of(session))
  sessions.end_all(index)
  redis.call('ZADD', index, ends_at, new_token_hash)
  redis.call('PEXPIREAT', index, integer(tonumber(ends_at)))
end

-- Whether a session is live and in its user's index.
function sessions.is_live(index, session)
  return redis.call('ZSCORE', index, token_hash_of(session)) and redis.call('EXISTS', session) == 1
end

-- Lets a session's record lead to the one under another token for `grace` ms, for requests that are under way.
local function lead_to(index, session, new_token_hash, grace)
  redis.call('ZREM', index, token_hash_of(session))
  redis.call('HSET', session, 'moved_to', session_key(index, new_token_hash))
  local left = redis.call('PTTL', session)
  if left < 0 or left > grace then
    redis.call('PEXPIRE', session, grace)
  end
end

-- Moves a session under a new token, and returns its new key. What the record under the token before says of a step-up stays as
-- it was.
local function move(index, session, new_token_hash, grace)
  local moved = session_key(index, new_token_hash)
  redis.call('COPY', session, moved)
  redis.call('ZADD', index, redis.call('HGET', session, 'expires_at'), new_token_hash)
  lead_to(index, session, new_token_hash, grace)
  return moved
end

-- Whether a session is under the token that a step-up was to give it.
function sessions.is_moved(session, new_token_hash)
  return token_hash_of(session) == new_token_hash
end

-- Whether a session is stepped up (docs/contract/accounts.md#step-up). False if it has ended.
function sessions.is_stepped_up(session, now)
  return (tonumber(redis.call('HGET', session, 'mfa_verified_until') or '') or 0) > now
end

-- Steps a session up, and moves it under its new token, unless it has got another one meanwhile. Returns whether it moved.
--   key: session (as it was found), sessions
--   session: its key now
--   change: verifiedUntil, operation, newTokenHash (absent: it keeps its token), grace (ms)
function sessions.mark_stepped_up(key, session, change)
  local moves = change.newTokenHash ~= nil and session == key.session
  if moves then
    session = move(key.sessions, session, change.newTokenHash, change.grace)
  end
  redis.call('HDEL', session, 'tries')
  redis.call('HSET', session, 'mfa_verified_until', change.verifiedUntil, 'mfa_operation', change.operation)
  return moves
end

-- Creates a session, provided that the password which was verified is still the user's, and that operators have not signed the
-- user out since it was read.
--   change: passwordHash (that was verified), session
-- Reply {'created'}
-- Refusals {'password_changed'}: or the user is gone, disabled or was signed out
function sessions.create(key, change)
  local sign_outs = change.session.fields.sign_outs or false
  if not users.has_password(key.user, change.passwordHash) or sign_outs ~= redis.call('HGET', key.user, 'sign_outs') then
    return { 'password_changed' }
  end
  sessions.write(key.sessions, change.session, now_millis())
  return { 'created' }
end

-- Records when a session was last used, and its user last seen. An ended session stays ended.
--   change: now
-- Reply {'touched'}
-- Refusals {'missing'}
function sessions.touch(key, change)
  if redis.call('EXISTS', key.session) == 0 then
    return { 'missing' }
  end
  redis.call('HSET', key.session, 'last_seen_at', change.now)
  note_seen(key.session, redis.call('HGET', key.session, 'user'), change.now)
  return { 'touched' }
end

-- Ends one session of a user.
--   change: id, tokenHash (absent: find it by its id)
-- Reply {'ended', hash of its token}
-- Refusals {'missing'}
function sessions.end_one(key, change)
  local hashes = redis.call('ZRANGE', key.sessions, 0, -1)
  if change.tokenHash then
    hashes = { token_hash_of(sessions.current(session_key(key.sessions, change.tokenHash))) }
  end
  for _, token_hash in ipairs(hashes) do
    local session = session_key(key.sessions, token_hash)
    if change.tokenHash or redis.call('HGET', session, 'id') == change.id then
      redis.call('ZREM', key.sessions, token_hash)
      if redis.call('DEL', session) == 1 then
        return { 'ended', token_hash }
      end
    end
  end
  return { 'missing' }
end

-- Ends all sessions of a user except one.
--   change: tokenHash (of the session that stays)
-- Reply {'ended', how many}
function sessions.end_others(key, change)
  local stays = sessions.current(session_key(key.sessions, change.tokenHash))
  local ended = 0
  for _, token_hash in ipairs(redis.call('ZRANGE', key.sessions, 0, -1)) do
    local session = session_key(key.sessions, token_hash)
    if session ~= stays then
      redis.call('ZREM', key.sessions, token_hash)
      ended = ended + redis.call('DEL', session)
    end
  end
  return { 'ended', integer(ended) }
end

-- Ends a session because its browser has signed in anew: requests of the user that are under way go on as the new session.
--   key: session (as it was found; it may have got another token since)
--   change: newTokenHash, grace (ms)
-- Reply {'replaced'}
-- Refusals {'missing'}
function sessions.replace(key, change)
  local session = sessions.current(key.session)
  local token_hash = token_hash_of(session)
  if not redis.call('ZSCORE', key.sessions, token_hash) or token_hash == change.newTokenHash then
    return { 'missing' }
  end
  lead_to(key.sessions, session, change.newTokenHash, change.grace)
  return { 'replaced' }
end

-- Uses a second factor to step up a session (docs/contract/accounts.md#step-up). An ended session stays ended.
--   change: userId, passwordHash and totpSecret (ciphertext, as they were when the factor was checked), factor (two_factor.is_fresh),
--     verifiedUntil, operation (names this request, so that a retry after a lost reply gets the same answer), newTokenHash (absent:
--     it keeps its token; a session that got another token meanwhile keeps that one), grace (ms)
-- Reply {'stepped_up'}  {'moved'}: under the new token
-- Refusals {'no_session'} {'password_changed'} {'off'} {'factor_refused'}: already used, or the secret has changed
--   {'own_code'}: a backup code that this session generated, which proves nothing about who holds the session
function sessions.step_up(key, change)
  local session = sessions.current(key.session)
  local record = redis.call('HMGET', session, 'user', 'mfa_operation', 'id')
  if record[1] ~= change.userId then
    return { 'no_session' }
  end
  if record[2] == change.operation then
    return { sessions.is_moved(session, change.newTokenHash) and 'moved' or 'stepped_up' }
  end
  if not users.has_password(key.user, change.passwordHash) then
    return { 'password_changed' }
  end
  local user = redis.call('HMGET', key.user, 'two_factor_enabled', 'totp_secret', 'backup_codes_session')
  if user[1] ~= '1' then
    return { 'off' }
  end
  local factor = change.factor
  if user[2] ~= change.totpSecret or not two_factor.is_fresh(key, factor, session) then
    return { 'factor_refused' }
  end
  if factor.kind == 'backup' and user[3] == record[3] then
    return { 'own_code' }
  end
  two_factor.use(key, factor, 'session', session)
  return { sessions.mark_stepped_up(key, session, change) and 'moved' or 'stepped_up' }
end
