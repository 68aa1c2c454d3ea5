-- Replaces a ciphertext of a set if it is still there.
-- Reply {'resealed'}
-- Refusals {'stale'}: it was used or removed
local function reseal_member(keys, args)
  if redis.call('SISMEMBER', KEYS.set, ARGV.expected) == 0 then
    return { 'stale' }
  end
  redis.call('SADD', KEYS.set, ARGV.replacement)
  redis.call('SREM', KEYS.set, ARGV.expected)
  return { 'resealed' }
end

redis.register_function('corrente_reseal_member', reseal_member)
