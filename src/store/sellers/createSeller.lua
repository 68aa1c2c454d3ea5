-- Creates a seller with its first API keys, or nothing.
-- KEYS_FROM.modes_then_api_keys: the hash of API keys of each mode, then the record of each API key
-- ARGV.fields_count: strings of the seller's names and values
-- ARGV_FROM.fields_then_api_keys: the seller's names and values in turn, then for each API key: id, mode, name, prefix,
--   created at, hash, position of its mode (0 = first)
-- Reply {'created'}
-- Refusals {'exists'}
local function create_seller(keys, args)
  local first_mode = KEYS_FROM.modes_then_api_keys
  local first_key = first_mode + tonumber(ARGV.modes_count)
  if redis.call('EXISTS', KEYS.seller, unpack(keys, first_key)) > 0 then
    return { 'exists' }
  end
  local at = ARGV_FROM.fields_then_api_keys + tonumber(ARGV.fields_count)
  redis.call('HSET', KEYS.seller, unpack(args, ARGV_FROM.fields_then_api_keys, at - 1))
  for i = first_key, #keys do
    redis.call(
      'HSET', keys[i], 'seller', ARGV.seller_id, 'id', args[at], 'mode', args[at + 1], 'name', args[at + 2],
      'prefix', args[at + 3], 'created_at', args[at + 4], 'revoke_at', ''
    )
    redis.call('HSET', keys[first_mode + tonumber(args[at + 6])], args[at], args[at + 5])
    at = at + 7
  end
  seller_lookup.set(KEYS.seller, ARGV.seller_id)
  redis.call('ZADD', KEYS.sellers, 0, ARGV.seller_id)
  return { 'created' }
end

redis.register_function('corrente_create_seller', create_seller)
