-- Makes a user with its e-mail address, and where it signs up: uses the invite and begins its first session. Or nothing.
-- KEYS  1 e-mail index  2 user  3 sessions  4 invite (any key of the slot where there is none)
-- ARGV  1 user id  2 invite's token hash ('' = no invite)  3 e-mail address, in lower case
--       4 session prefix  5 hash of the session's token ('' = none)  6 its end (ms)  7 most sessions of a user
--       8 number of the user's field-value strings, those strings, then those of the session
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
  local holder = redis.call('GET', keys[1])
  -- The id is new and the caller's alone: this very operation wrote it, and its reply was lost.
  if holder == args[1] then
    return { 'created' }
  end
  if holder then
    return { 'email_taken' }
  end
  if args[2] ~= '' and not invite_is_usable(keys[4], args[2], args[3], now) then
    return { 'invite_unusable' }
  end
  local last = 8 + tonumber(args[8])
  redis.call('HSET', keys[2], unpack(args, 9, last))
  if args[5] ~= '' then
    local fields = { unpack(args, last + 1) }
    local session = { prefix = args[4], token_hash = args[5], expires_at = args[6], fields = fields }
    write_session(keys[3], session, tonumber(args[7]), now)
  end
  if args[2] ~= '' then
    redis.call('HSET', keys[4], 'used_at', integer(now), 'used_by', args[1])
  end
  redis.call('SET', keys[1], args[1])
  return { 'created' }
end

redis.register_function('corrente_create_user', create_user)
