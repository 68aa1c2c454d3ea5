-- Passkeys of users (docs/contract/accounts.md#passkeys): one hash for each user, credential id -> its record as JSON, which only
-- TypeScript reads. A change names the record that it was decided on, so a record that changed meanwhile is refused.
--
-- A holder (a session, or a sign-in that waits for its second step) has one challenge at a time. Whatever it allows uses it up in
-- the same commit.

local challenge_fields = { 'challenge', 'challenge_for', 'challenge_until' }

-- Stores the holder's challenge, in place of the one before.
--   key: holder (as it was found)
--   change: challenge, ceremony ('registration' or 'authentication'), expiresAt
-- Reply {'challenged'}
-- Refusals {'no_holder'}: it has ended
function passkeys.challenge(key, change)
  local holder = sessions.current(key.holder)
  if redis.call('HEXISTS', holder, 'user') == 0 then
    return { 'no_holder' }
  end
  redis.call(
    'HSET', holder, 'challenge', change.challenge, 'challenge_for', change.ceremony, 'challenge_until', change.expiresAt
  )
  return { 'challenged' }
end

-- Whether a holder was given this challenge for a ceremony, not too long ago, and has not used it.
--   holder: its key now
function passkeys.is_challenged(holder, ceremony, challenge, now)
  local given = redis.call('HMGET', holder, unpack(challenge_fields))
  return given[1] == challenge and given[2] == ceremony and tonumber(given[3]) > now
end

-- Uses up a holder's challenge.
function passkeys.end_challenge(holder)
  redis.call('HDEL', holder, unpack(challenge_fields))
end

-- Adds a passkey to a user whose second factor is on. The session must be stepped up.
--   key: user, passkeys, session (as it was found)
--   change: userId, credentialId, record (JSON), challenge, now, passkeysMax
-- Reply {'added'}
-- Refusals {'no_session'} {'off'} {'not_stepped_up'} {'too_many'}
--   {'known'}: the user has this credential
--   {'not_challenged'}: the challenge is not this session's, or expired, or used
function passkeys.add(key, change)
  local session = sessions.current(key.session)
  if redis.call('HGET', session, 'user') ~= change.userId then
    return { 'no_session' }
  end
  local known = redis.call('HGET', key.passkeys, change.credentialId)
  if known == change.record then
    -- This operation already added it, but its reply was lost.
    return { 'added' }
  end
  if redis.call('HGET', key.user, 'two_factor_enabled') ~= '1' then
    return { 'off' }
  end
  if not sessions.is_stepped_up(session, change.now) then
    return { 'not_stepped_up' }
  end
  if not passkeys.is_challenged(session, 'registration', change.challenge, change.now) then
    return { 'not_challenged' }
  end
  if known then
    return { 'known' }
  end
  if redis.call('HLEN', key.passkeys) >= change.passkeysMax then
    return { 'too_many' }
  end
  passkeys.end_challenge(session)
  redis.call('HSET', key.passkeys, change.credentialId, change.record)
  return { 'added' }
end

-- Replaces the record of a passkey.
--   change: credentialId, before (the record that the change was decided on), record
-- Reply {'replaced'}
-- Refusals {'changed'}: or it is gone
function passkeys.replace(key, change)
  local known = redis.call('HGET', key.passkeys, change.credentialId)
  if known == change.record then
    return { 'replaced' }
  end
  if known ~= change.before then
    return { 'changed' }
  end
  redis.call('HSET', key.passkeys, change.credentialId, change.record)
  return { 'replaced' }
end

-- Removes a passkey. The session must be stepped up.
--   key: passkeys, session (as it was found)
--   change: userId, credentialId, now
-- Reply {'removed'}: now or before
-- Refusals {'no_session'} {'not_stepped_up'}
function passkeys.remove(key, change)
  local session = sessions.current(key.session)
  if redis.call('HGET', session, 'user') ~= change.userId then
    return { 'no_session' }
  end
  if not sessions.is_stepped_up(session, change.now) then
    return { 'not_stepped_up' }
  end
  redis.call('HDEL', key.passkeys, change.credentialId)
  return { 'removed' }
end
