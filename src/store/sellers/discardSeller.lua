-- Takes back a seller that was just made, whose user could not be.
-- KEYS.sellers: sellers of the partition
-- KEYS_FROM.key_records: the indexes of its keys and the api key records
-- Reply {'discarded'}
local function discard_seller(keys, args)
  redis.call('ZREM', KEYS.sellers, ARGV.seller_id)
  redis.call('DEL', KEYS.seller, unpack(keys, KEYS_FROM.key_records))
  return { 'discarded' }
end

redis.register_function('corrente_discard_seller', discard_seller)
