-- Deletes a seller just created whose user could not be created (docs/decisions/0057-seller-before-user.md).
-- KEYS.sellers: the partition's sellers
-- KEYS_FROM.key_records: the hash of API keys of each mode, then the record of each API key
-- Reply {'discarded'}
local function discard_seller(keys, args)
  redis.call('ZREM', KEYS.sellers, ARGV.seller_id)
  redis.call('DEL', KEYS.seller, unpack(keys, KEYS_FROM.key_records))
  return { 'discarded' }
end

redis.register_function('corrente_discard_seller', discard_seller)
