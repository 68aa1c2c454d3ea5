-- Writes an invite; it is shown for 30 days after it ended.
-- KEYS  1 invite
-- ARGV  1 end of its record (ms)  2... fields and values in turn
-- Reply {'created'}
local function create_invite(keys, args)
  redis.call('HSET', keys[1], unpack(args, 2))
  redis.call('PEXPIREAT', keys[1], args[1])
  return { 'created' }
end

redis.register_function('corrente_create_invite', create_invite)
