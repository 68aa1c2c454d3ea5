-- Takes back a seller that was just made, whose user could not be.
-- KEYS  1 seller  2 sellers of the partition, then the indexes of its keys and the api key records
-- ARGV  1 seller id
-- Reply {'discarded'}
local function discard_seller(keys, args)
  redis.call('ZREM', keys[2], args[1])
  redis.call('DEL', keys[1], unpack(keys, 3))
  return { 'discarded' }
end

redis.register_function('corrente_discard_seller', discard_seller)
