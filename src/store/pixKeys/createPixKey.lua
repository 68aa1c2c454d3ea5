-- Registers a PIX key, unless the seller has the same one in this mode, or as many as a mode may have.
-- KEYS  1 seller  2 PIX key  3 values  4 index  5 index of its status  6 the partition's index of its status
-- ARGV  1 PIX key id  2 hash of its value  3 most keys of a mode, then field-value strings
-- Reply {'created'}: also where this very key is there already
-- Refusals {'no_seller'} {'exists'} {'limit'}
local function create_pix_key(keys, args)
  if redis.call('EXISTS', keys[1]) == 0 then
    return { 'no_seller' }
  end
  -- Whatever has become of it: written again, it would be in the indexes of two states.
  if redis.call('EXISTS', keys[2]) == 1 then
    return { 'created' }
  end
  if redis.call('HEXISTS', keys[3], args[2]) == 1 then
    return { 'exists' }
  end
  if redis.call('HLEN', keys[3]) >= tonumber(args[3]) then
    return { 'limit' }
  end
  redis.call('HSET', keys[2], 'value_hash', args[2], unpack(args, 4))
  redis.call('HSET', keys[3], args[2], args[1])
  redis.call('ZADD', keys[4], 0, args[1])
  redis.call('ZADD', keys[5], 0, args[1])
  redis.call('ZADD', keys[6], 0, args[1])
  return { 'created' }
end

redis.register_function('corrente_create_pix_key', create_pix_key)
