-- Creates a user with its e-mail address and, at sign-up, uses the invite and creates the first session; or nothing.
-- KEYS.invite: any key of the slot if there is no invite
-- ARGV.invite_token_hash: '' = no invite
-- ARGV.email_address: in lower case; where the invite spells the same address, its spelling with ASCII letters alone in lower
--   case, because string.lower changes no others
-- ARGV.token_hash: of the session's token ('' = no session)
-- ARGV.user_fields_count: strings of the user's names and values
-- ARGV_FROM.user_then_session_fields: the user's names and values in turn, then the session's
-- Reply {'created'}
-- Refusals {'email_taken'}  {'invite_unusable'}: unknown, used, revoked, expired, or of another address
local function invite_is_usable(invite, token_hash, email, now)
  local record = redis.call('HMGET', invite, 'token_hash', 'email', 'expires_at', 'used_at', 'revoked_at')
  return record[1] == token_hash
    and string.lower(record[2]) == email
    and tonumber(record[3]) > now
    and not record[4]
    and not record[5]
end

local function create_user(keys, args)
  local now = now_millis()
  local holder = redis.call('GET', KEYS.email)
  -- Only this caller knows the new id, so this operation already created the user, but its reply was lost.
  if holder == ARGV.user_id then
    return { 'created' }
  end
  if holder then
    return { 'email_taken' }
  end
  if ARGV.invite_token_hash ~= '' and not invite_is_usable(KEYS.invite, ARGV.invite_token_hash, ARGV.email_address, now) then
    return { 'invite_unusable' }
  end
  local last = ARGV_FROM.user_then_session_fields - 1 + tonumber(ARGV.user_fields_count)
  redis.call('HSET', KEYS.user, unpack(args, ARGV_FROM.user_then_session_fields, last))
  if ARGV.token_hash ~= '' then
    local fields = { unpack(args, last + 1) }
    local session = { prefix = ARGV.session_prefix, token_hash = ARGV.token_hash, expires_at = ARGV.expires_at, fields = fields }
    write_session(KEYS.sessions, session, tonumber(ARGV.sessions_max), now)
  end
  if ARGV.invite_token_hash ~= '' then
    redis.call('HSET', KEYS.invite, 'used_at', integer(now), 'used_by', ARGV.user_id)
  end
  redis.call('SET', KEYS.email, ARGV.user_id)
  return { 'created' }
end

redis.register_function('corrente_create_user', create_user)
