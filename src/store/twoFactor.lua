-- Second factors of users: TOTP secrets, backup codes, and the use of passkeys (docs/contract/accounts.md#two-factor).

-- Ends a row of wrong codes; place: 'session', 'known' or 'stranger' (two_factor.begin_try).
function two_factor.forget_tries(user, place)
  redis.call('HDEL', user, place .. '_tries', place .. '_tries_until')
end

-- Deletes all data of a user's second factor.
--   key: user, backupCodes, passkeys
local function forget_factor(key)
  local user = key.user
  redis.call('HDEL', user, 'totp_secret', 'totp_secret_pending', 'totp_last_step', 'backup_codes_session')
  two_factor.forget_tries(user, 'session')
  two_factor.forget_tries(user, 'known')
  two_factor.forget_tries(user, 'stranger')
  redis.call('DEL', key.backupCodes, key.passkeys)
end

-- Whether a second factor is unused; two_factor.use uses it, after all other checks.
--   key: user, backupCodes, passkeys
--   factor: kind 'totp', value the code's time step; a step at or before the last one used is refused (RFC 6238, 5.2)
--     or kind 'backup', value the code's hash
--     or kind 'passkey', value its credential id, with challenge (that it signed), before (its record that the signature was checked
--       by, counter included), record (from then on), now
--   holder: where the factor was sent (the key of a session, or of a pending sign-in), which has the challenge
function two_factor.is_fresh(key, factor, holder)
  if factor.kind == 'passkey' then
    return passkeys.is_challenged(holder, 'authentication', factor.challenge, factor.now)
      and redis.call('HGET', key.passkeys, factor.value) == factor.before
  end
  if factor.kind == 'totp' then
    local last = redis.call('HGET', key.user, 'totp_last_step')
    return not last or tonumber(factor.value) > tonumber(last)
  end
  return redis.call('SISMEMBER', key.backupCodes, factor.value) == 1
end

-- Uses a second factor and ends the row of wrong codes of the place where it was sent.
function two_factor.use(key, factor, place, holder)
  two_factor.forget_tries(key.user, place)
  if factor.kind == 'passkey' then
    passkeys.end_challenge(holder)
    redis.call('HSET', key.passkeys, factor.value, factor.record)
    return
  end
  if factor.kind == 'totp' then
    redis.call('HSET', key.user, 'totp_last_step', factor.value)
  else
    redis.call('SREM', key.backupCodes, factor.value)
  end
end

local function is_on(user)
  return redis.call('HGET', user, 'two_factor_enabled') == '1'
end

-- Raises an error unless there are backup codes. Call it before the first write.
local function check_codes(codes)
  if #codes == 0 then
    error('there are no backup codes')
  end
end

-- Counts a try of a user's second factor before its code is checked, in whichever process
-- (docs/accounts.md#wrong-codes). A correct code resets the counts (two_factor.use).
--   key: user, holder (the pending sign-in or the session)
--   change: place (where the code is sent, which has a count of its own: 'session', 'known' or 'stranger'), now, triesMax (tries in
--     a row from where on each makes the next one wait), firstWait, longestWait (ms; each wait is twice the one before),
--     holderTriesMax (tries in a row of the holder)
-- Reply {'begun', tries in a row}; 0 if the user is gone
-- Refusals {'wait', ms}  {'spent'}: the holder has had its tries
function two_factor.begin_try(key, change)
  if redis.call('EXISTS', key.user) == 0 then
    return { 'begun', '0' }
  end
  local count_name, until_name = change.place .. '_tries', change.place .. '_tries_until'
  local holder = redis.call('HMGET', key.holder, 'user', 'tries')
  if (tonumber(holder[2] or '') or 0) >= change.holderTriesMax then
    return { 'spent' }
  end
  local wait = (tonumber(redis.call('HGET', key.user, until_name) or '') or 0) - change.now
  if wait > 0 then
    return { 'wait', integer(wait) }
  end
  local count = redis.call('HINCRBY', key.user, count_name, 1)
  if count >= change.triesMax then
    local next_wait = math.min(change.firstWait * 2 ^ math.min(count - change.triesMax, 40), change.longestWait)
    redis.call('HSET', key.user, until_name, integer(change.now + next_wait))
  end
  if holder[1] then
    redis.call('HINCRBY', key.holder, 'tries', 1)
    redis.call('HSET', key.holder, 'tried_as', change.place)
  end
  return { 'begun', integer(count) }
end

-- Starts turning a user's second factor on: stores the pending secret and its backup codes, which replace those of an
-- earlier start. two_factor.confirm completes it.
--   change: passwordHash (that was verified), secret (ciphertext), codes (hashes of the backup codes), sessionId, now
-- Reply {'enabling'}
-- Refusals {'password_changed'}: or the user is gone  {'on'}
function two_factor.enable(key, change)
  if not users.has_password(key.user, change.passwordHash) then
    return { 'password_changed' }
  end
  if is_on(key.user) then
    return { 'on' }
  end
  check_codes(change.codes)
  redis.call('DEL', key.backupCodes)
  redis.call('SADD', key.backupCodes, unpack(change.codes))
  redis.call(
    'HSET', key.user, 'totp_secret_pending', change.secret, 'updated_at', change.now, 'backup_codes_session', change.sessionId
  )
  return { 'enabling' }
end

-- Turns a user's second factor on: the pending secret becomes the secret, and the session that proved it is stepped up, as
-- sessions.step_up does it. The code that proved it is used up; steps of earlier secrets no longer count.
--   change: userId, pendingSecret (ciphertext, as it was when the code was checked), step (the code's TOTP step), now, and what
--     sessions.mark_stepped_up takes
-- Reply {'on'}  {'moved'}: on, and the session is under its new token
-- Refusals {'no_session'} {'refused'}: the pending secret has changed, is gone, or is already in use
function two_factor.confirm(key, change)
  local session = sessions.current(key.session)
  local record = redis.call('HMGET', session, 'user', 'mfa_operation')
  if record[1] ~= change.userId then
    return { 'no_session' }
  end
  if record[2] == change.operation then
    return { sessions.is_moved(session, change.newTokenHash) and 'moved' or 'on' }
  end
  if redis.call('HGET', key.user, 'totp_secret_pending') ~= change.pendingSecret then
    return { 'refused' }
  end
  redis.call(
    'HSET', key.user, 'totp_secret', change.pendingSecret, 'two_factor_enabled', '1', 'totp_last_step', change.step,
    'updated_at', change.now
  )
  redis.call('HDEL', key.user, 'totp_secret_pending')
  two_factor.forget_tries(key.user, 'session')
  return { sessions.mark_stepped_up(key, session, change) and 'moved' or 'on' }
end

-- Turns a user's second factor off: secrets, backup codes and passkeys are deleted and all sessions end. The password is not enough:
-- the session must be stepped up.
--   change: passwordHash (that was verified), now
-- Reply {'off'}
-- Refusals {'password_changed'}: or the user is gone  {'was_off'}  {'not_stepped_up'}
function two_factor.disable(key, change)
  if not users.has_password(key.user, change.passwordHash) then
    return { 'password_changed' }
  end
  if not is_on(key.user) then
    -- The session existed when the request arrived, so whatever ended it also turned the factor off.
    return { redis.call('EXISTS', key.session) == 0 and 'off' or 'was_off' }
  end
  if not sessions.is_stepped_up(key.session, change.now) then
    return { 'not_stepped_up' }
  end
  redis.call('HSET', key.user, 'two_factor_enabled', '0', 'updated_at', change.now)
  forget_factor(key)
  sessions.end_all(key.sessions)
  return { 'off' }
end

-- Redeems a recovery token: turns the user's second factor off and ends all sessions (docs/contract/accounts.md#recovery).
--   change: userId, operation (names this request, so that a retry after a lost reply gets the same answer), passwordHash and
--     totpSecret (ciphertext; absent: there was none), as they were when the token was checked, now
-- Reply {'recovered'}
-- Refusals {'token_used'}: or it is another user's, or the user is gone or disabled, or the password or the secret has changed
function two_factor.recover(key, change)
  -- This operation already turned it off, but its reply was lost.
  if redis.call('HGET', key.user, 'recovered_by') == change.operation then
    return { 'recovered' }
  end
  if redis.call('HGET', key.token, 'user') ~= change.userId or redis.call('EXISTS', key.user) == 0 then
    return { 'token_used' }
  end
  if not user_tokens.is_of_now(key.token, key.user) or redis.call('HEXISTS', key.user, 'disabled_at') == 1 then
    return { 'token_used' }
  end
  local bound = redis.call('HMGET', key.user, 'password_hash', 'totp_secret')
  if bound[1] ~= change.passwordHash or (bound[2] or nil) ~= change.totpSecret then
    return { 'token_used' }
  end
  forget_factor(key)
  redis.call(
    'HSET', key.user, 'two_factor_enabled', '0', 'updated_at', change.now, 'recovered_by', change.operation
  )
  redis.call('DEL', key.token)
  sessions.end_all(key.sessions)
  return { 'recovered' }
end

-- Gives an operator a second factor, in place of the one before, and ends all its sessions (ops admin reset-two-factor). A retry
-- writes the same again.
--   change: secret (ciphertext), codes (hashes of the backup codes), now
-- Reply {'reset'}
-- Refusals {'no_operator'}: the user is gone, or a seller's
function two_factor.reset(key, change)
  if redis.call('HGET', key.user, 'role') ~= 'admin' then
    return { 'no_operator' }
  end
  check_codes(change.codes)
  forget_factor(key)
  redis.call('HSET', key.user, 'totp_secret', change.secret, 'two_factor_enabled', '1', 'updated_at', change.now)
  redis.call('SADD', key.backupCodes, unpack(change.codes))
  sessions.end_all(key.sessions)
  return { 'reset' }
end

-- Replaces a user's backup codes. The password is not enough: the session must be stepped up. Its id is stored, because a
-- session cannot step up with codes that it generated itself.
--   change: passwordHash (that was verified), codes (hashes of the backup codes), sessionId, now
-- Reply {'replaced'}
-- Refusals {'password_changed'}: or the user is gone  {'off'}  {'not_stepped_up'}
function two_factor.replace_codes(key, change)
  if not users.has_password(key.user, change.passwordHash) then
    return { 'password_changed' }
  end
  if not is_on(key.user) then
    return { 'off' }
  end
  if not sessions.is_stepped_up(key.session, change.now) then
    return { 'not_stepped_up' }
  end
  check_codes(change.codes)
  redis.call('DEL', key.backupCodes)
  redis.call('SADD', key.backupCodes, unpack(change.codes))
  redis.call('HSET', key.user, 'backup_codes_session', change.sessionId)
  return { 'replaced' }
end

-- Completes a sign-in: uses its pending token and a second factor, and creates a stepped-up session.
--   change: userId, passwordHash and totpSecret (ciphertext, as they were when the factor was checked), factor (two_factor.is_fresh),
--     session (sessions.write)
-- Reply {'verified'}
-- Refusals {'pending_gone'}: used, expired, voided, another user's, or two-factor is off  {'password_changed'}
--   {'factor_refused'}: already used, or the secret has changed
function two_factor.verify_second_step(key, change)
  -- Only this sign-in knows the session's token, so this operation already created the session, but its reply was lost.
  if sessions.exists(key.sessions, change.session.tokenHash) then
    return { 'verified' }
  end
  local now = now_millis()
  local pending = redis.call('HMGET', key.token, 'kind', 'user', 'expires_at')
  if pending[1] ~= 'second_factor' or pending[2] ~= change.userId or tonumber(pending[3]) <= now then
    return { 'pending_gone' }
  end
  if not user_tokens.is_of_now(key.token, key.user) then
    return { 'pending_gone' }
  end
  if not users.has_password(key.user, change.passwordHash) then
    return { 'password_changed' }
  end
  local user = redis.call('HMGET', key.user, 'two_factor_enabled', 'totp_secret')
  if user[1] ~= '1' then
    return { 'pending_gone' }
  end
  if user[2] ~= change.totpSecret or not two_factor.is_fresh(key, change.factor, key.token) then
    return { 'factor_refused' }
  end
  sessions.write(key.sessions, change.session, now)
  two_factor.use(key, change.factor, redis.call('HGET', key.token, 'tried_as') or 'stranger', key.token)
  redis.call('DEL', key.token)
  return { 'verified' }
end
