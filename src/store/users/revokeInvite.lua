-- Revokes an unused invite. Revoking it again changes nothing.
-- Reply {'revoked'}
-- Refusals {'missing'} {'used'}
local function revoke_invite(keys)
  local record = redis.call('HMGET', KEYS.invite, 'id', 'used_at', 'revoked_at')
  if not record[1] then
    return { 'missing' }
  end
  if record[2] then
    return { 'used' }
  end
  if not record[3] then
    redis.call('HSET', KEYS.invite, 'revoked_at', integer(now_millis()))
  end
  return { 'revoked' }
end

redis.register_function('corrente_revoke_invite', revoke_invite)
