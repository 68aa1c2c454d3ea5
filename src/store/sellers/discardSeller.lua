-- Deletes a seller just created whose user could not be created (docs/decisions/0057-seller-before-user.md).
-- KEYS.sellers: the partition's sellers
-- KEYS_FROM.key_records: the hash of API keys of each mode, then the record of each API key
-- Reply {'discarded'}
local function discard_seller(keys, args)
  redis.call('ZREM', KEYS.sellers, ARGV.seller_id)
  local found_by = redis.call('HGET', KEYS.seller, 'found_by')
  redis.call('DEL', KEYS.seller, unpack(keys, KEYS_FROM.key_records))
  seller_lookup.set(KEYS.seller, ARGV.seller_id, found_by)
  return { 'discarded' }
end

redis.register_function('corrente_discard_seller', discard_seller)
