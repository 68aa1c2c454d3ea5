-- Stores a single-use token, which expires by itself (docs/contract/accounts.md#tokens).
-- ARGV.expires_at: ms
-- ARGV_FROM.fields: names and values in turn
-- Reply {'issued'}
local function issue_token(keys, args)
  redis.call('HSET', KEYS.token, unpack(args, ARGV_FROM.fields))
  redis.call('PEXPIREAT', KEYS.token, ARGV.expires_at)
  return { 'issued' }
end

redis.register_function('corrente_issue_token', issue_token)
