-- Writes an invite; it is shown for 30 days after it ended.
-- Reply {'created'}
local function create_invite(keys, args)
  redis.call('HSET', KEYS.invite, unpack(args, ARGV_FROM.fields))
  redis.call('PEXPIREAT', KEYS.invite, ARGV.expires_at)
  return { 'created' }
end

redis.register_function('corrente_create_invite', create_invite)
