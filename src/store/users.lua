-- Users (docs/accounts.md).

-- Whether the password that the caller verified is still the user's. Nobody has the password of a disabled user: what was
-- begun before the user was disabled comes to nothing.
function users.has_password(user, password_hash)
  local record = redis.call('HMGET', user, 'password_hash', 'disabled_at')
  return record[1] == password_hash and not record[2]
end

-- Creates a user with its e-mail address and, at sign-up, uses the invite and creates the first session; or nothing.
--   change: id, email (as invites.is_usable takes it), fields, inviteTokenHash (absent: no invite), session (sessions.write;
--     absent: none)
-- Reply {'created'}
-- Refusals {'email_taken'}  {'invite_unusable'}
function users.create(key, change)
  local now = now_millis()
  local holder = redis.call('GET', key.email)
  -- Only this caller knows the new id, so this operation already created the user, but its reply was lost.
  if holder == change.id then
    return { 'created' }
  end
  if holder then
    return { 'email_taken' }
  end
  local token_hash = change.inviteTokenHash
  if token_hash and not invites.is_usable(key.invite, token_hash, change.email, now) then
    return { 'invite_unusable' }
  end
  set_fields(key.user, change.fields)
  if change.session then
    sessions.write(key.sessions, change.session, now)
  end
  if token_hash then
    redis.call('HSET', key.invite, 'used_at', integer(now), 'used_by', change.id)
  end
  redis.call('SET', key.email, change.id)
  return { 'created' }
end

-- Gives a user another name.
--   change: name, now
-- Reply {'renamed'}
-- Refusals {'missing'}
function users.rename(key, change)
  if redis.call('EXISTS', key.user) == 0 then
    return { 'missing' }
  end
  redis.call('HSET', key.user, 'name', change.name, 'updated_at', change.now)
  return { 'renamed' }
end

-- Records which version of the terms a user accepted.
--   change: version, now
-- Reply {'accepted'}
-- Refusals {'missing'}
function users.accept_terms(key, change)
  if redis.call('EXISTS', key.user) == 0 then
    return { 'missing' }
  end
  redis.call('HSET', key.user, 'terms_version', change.version, 'updated_at', change.now)
  return { 'accepted' }
end

-- Notes the team that a user joins, and so do its sessions.
--   change: sellerId, memberId
-- Reply {'joined'}
-- Refusals {'missing'}
function users.join_team(key, change)
  if redis.call('EXISTS', key.user) == 0 then
    return { 'missing' }
  end
  redis.call('HSET', key.user, 'seller_id', change.sellerId, 'member_id', change.memberId)
  sessions.join_team(key.sessions, change)
  return { 'joined' }
end

-- Forgets a team that a user was removed from, unless the user has joined one since.
--   change: sellerId, memberId
-- Reply {'left'}
-- Refusals {'elsewhere'}
function users.leave_team(key, change)
  local team = redis.call('HMGET', key.user, 'seller_id', 'member_id')
  -- A seller's first user has no member id.
  if team[1] ~= change.sellerId or (team[2] and team[2] ~= change.memberId) then
    return { 'elsewhere' }
  end
  redis.call('HDEL', key.user, 'seller_id', 'member_id')
  return { 'left' }
end

-- Redeems a verification token: marks the user's e-mail address as verified.
--   change: userId, operation (names this request, so that a retry after a lost reply gets the same answer), now
-- Reply {'verified'}
-- Refusals {'token_used'}: or it is another user's, or the user is gone
function users.verify_email(key, change)
  -- This operation already verified it, but its reply was lost.
  if redis.call('HGET', key.user, 'verified_by') == change.operation then
    return { 'verified' }
  end
  if redis.call('HGET', key.token, 'user') ~= change.userId or redis.call('EXISTS', key.user) == 0 then
    return { 'token_used' }
  end
  redis.call('HSET', key.user, 'email_verified', '1', 'updated_at', change.now, 'verified_by', change.operation)
  redis.call('DEL', key.token)
  return { 'verified' }
end

-- Changes a user's password and, on request, ends all other sessions. The requesting session then continues under a
-- new token, because its old one may have been copied.
--   change: oldHash (that was verified), newHash, newTokenHash (absent: other sessions stay, and so does the token), now
-- Reply {'changed'}
-- Refusals {'password_changed'}: or the user is gone  {'no_session'}
function users.change_password(key, change)
  -- Hashes are salted and never repeat, so this operation already wrote it, but its reply was lost.
  if users.has_password(key.user, change.newHash) then
    return { 'changed' }
  end
  if not users.has_password(key.user, change.oldHash) then
    return { 'password_changed' }
  end
  local session = sessions.current(key.session)
  if not sessions.is_live(key.sessions, session) then
    return { 'no_session' }
  end
  redis.call('HSET', key.user, 'password_hash', change.newHash, 'updated_at', change.now)
  -- Whoever sent wrong codes at sign-in no longer has the password.
  two_factor.forget_tries(key.user, 'known')
  two_factor.forget_tries(key.user, 'stranger')
  if change.newTokenHash then
    sessions.end_all_but(key.sessions, session, change.newTokenHash)
  end
  return { 'changed' }
end

-- Redeems a reset token: sets the password and ends all sessions. The token was mailed, so the address is verified too.
--   change: userId, oldHash (the password's when the token was checked), newHash, now
-- Reply {'reset'}
-- Refusals {'token_used'}: or it is another user's, the user is gone, or disabled, or the password has changed
function users.reset_password(key, change)
  -- Hashes are salted and never repeat, so this operation already wrote it, but its reply was lost.
  if users.has_password(key.user, change.newHash) then
    return { 'reset' }
  end
  local is_good = redis.call('HGET', key.token, 'user') == change.userId and user_tokens.is_of_now(key.token, key.user)
  if not is_good or not users.has_password(key.user, change.oldHash) then
    return { 'token_used' }
  end
  redis.call('HSET', key.user, 'password_hash', change.newHash, 'email_verified', '1', 'updated_at', change.now)
  -- Whoever sent wrong codes at sign-in no longer has the password. An operator's mailbox must not buy further guesses: without
  -- it, there is no recovery by mail either.
  if redis.call('HGET', key.user, 'role') ~= 'admin' then
    two_factor.forget_tries(key.user, 'known')
    two_factor.forget_tries(key.user, 'stranger')
  end
  redis.call('DEL', key.token)
  sessions.end_all(key.sessions)
  return { 'reset' }
end

-- Ends all sessions of a user. A count of such ends voids what was issued before it: pending sign-ins, mailed links and trusted
-- devices. On request the user is disabled too: no password is the user's until it is enabled again.
--   change: disabledAt (absent: the user stays as it is)
-- Reply {'shut_out'}
-- Refusals {'missing'}
function users.shut_out(key, change)
  if redis.call('EXISTS', key.user) == 0 then
    return { 'missing' }
  end
  redis.call('HINCRBY', key.user, 'sign_outs', 1)
  if change.disabledAt then
    redis.call('HSETNX', key.user, 'disabled_at', change.disabledAt)
  end
  sessions.end_all(key.sessions)
  return { 'shut_out' }
end

-- Marks an operator as disabled, provided that another one is not: so operators who disable each other at the same time leave
-- one of them.
--   change: operatorId, otherId (an operator who is enabled, as far as the caller has seen)
-- Reply {'marked'}
-- Refusals {'other_disabled'}
function users.disable_operator(key, change)
  if redis.call('SISMEMBER', key.disabled, change.otherId) == 1 then
    return { 'other_disabled' }
  end
  redis.call('SADD', key.disabled, change.operatorId)
  return { 'marked' }
end
