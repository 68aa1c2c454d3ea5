-- Writes a single-use token, which ends by itself.
-- Reply {'issued'}
local function issue_token(keys, args)
  redis.call('HSET', KEYS.token, unpack(args, ARGV_FROM.fields))
  redis.call('PEXPIREAT', KEYS.token, ARGV.expires_at)
  return { 'issued' }
end

redis.register_function('corrente_issue_token', issue_token)
