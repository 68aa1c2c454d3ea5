-- Creates an invite. Its record outlives it for a while, so that it can still be shown.
-- ARGV.expires_at: of the record, in ms
-- ARGV_FROM.fields: names and values in turn
-- Reply {'created'}
local function create_invite(keys, args)
  redis.call('HSET', KEYS.invite, unpack(args, ARGV_FROM.fields))
  redis.call('PEXPIREAT', KEYS.invite, ARGV.expires_at)
  return { 'created' }
end

redis.register_function('corrente_create_invite', create_invite)
