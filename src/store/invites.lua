-- Invites to sign up (docs/contract/admin.md#invites).

-- Creates an invite. Its record outlives it for a while, so that it can still be shown.
--   change: fields, expiresAt (of the record)
-- Reply {'created'}
function invites.create(key, change)
  set_fields(key.invite, change.fields)
  redis.call('PEXPIREAT', key.invite, change.expiresAt)
  return { 'created' }
end

-- Revokes an unused invite. Revoking it again changes nothing.
-- Reply {'revoked'}
-- Refusals {'missing'} {'used'}
function invites.revoke(key)
  local record = redis.call('HMGET', key.invite, 'id', 'used_at', 'revoked_at')
  if not record[1] then
    return { 'missing' }
  end
  if record[2] then
    return { 'used' }
  end
  if not record[3] then
    redis.call('HSET', key.invite, 'revoked_at', integer(now_millis()))
  end
  return { 'revoked' }
end

-- Whether a sign-up may use an invite. False if it is unknown, used, revoked, expired, or of another address.
--   email: in lower case; where the invite spells the same address, its spelling with ASCII letters alone in lower case, because
--     string.lower changes no others
function invites.is_usable(invite, token_hash, email, now)
  local record = redis.call('HMGET', invite, 'token_hash', 'email', 'expires_at', 'used_at', 'revoked_at')
  return record[1] == token_hash
    and string.lower(record[2]) == email
    and tonumber(record[3]) > now
    and not record[4]
    and not record[5]
end
