-- Writes a single-use token, which ends by itself.
-- KEYS  1 token
-- ARGV  1 end (ms)  2... fields and values in turn
-- Reply {'issued'}
local function issue_token(keys, args)
  redis.call('HSET', keys[1], unpack(args, 2))
  redis.call('PEXPIREAT', keys[1], args[1])
  return { 'issued' }
end

redis.register_function('corrente_issue_token', issue_token)
