-- Uses up a mailed code, or counts a wrong one (docs/contract/accounts.md#mailed-code).
-- ARGV.code: the HMAC of what was sent
-- ARGV.binding: of the user's password
-- ARGV.operation: names this request, so that a retry after a lost reply gets the same answer
-- Reply {'used'}
-- Refusals {'wrong'}: not the code that counts, or none counts: never sent, used, expired, or tried too often
local function use_mail_code(keys, args)
  local known = redis.call('HMGET', KEYS.mail_code, 'binding', 'code', 'expires_at', 'wrong', 'used_by')
  if known[5] == ARGV.operation then
    return { 'used' }
  end
  local counts = known[1] == ARGV.binding
    and known[2]
    and tonumber(known[3]) > tonumber(ARGV.now)
    and tonumber(known[4]) < tonumber(ARGV.tries_max)
  if not counts then
    return { 'wrong' }
  end
  if known[2] ~= ARGV.code then
    redis.call('HINCRBY', KEYS.mail_code, 'wrong', 1)
    return { 'wrong' }
  end
  redis.call('HDEL', KEYS.mail_code, 'code')
  redis.call('HSET', KEYS.mail_code, 'used_by', ARGV.operation)
  return { 'used' }
end

redis.register_function('corrente_use_mail_code', use_mail_code)
