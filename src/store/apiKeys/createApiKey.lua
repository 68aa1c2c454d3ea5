-- Adds an API key to a seller's mode.
-- KEYS  1 seller  2 keys of the mode  3 api key
-- ARGV  1 seller id  2 most keys of a mode  3 api key prefix  4 key id  5 mode  6 name  7 shown prefix  8 created at
--       9 hash of the key
-- Reply {'created'}
-- Refusals {'no_seller'} {'kyc_required'}: live, without approved KYC {'limit'}: keys that are being revoked do not count
local function write_api_key(index, record, seller_id, id, mode, name, prefix, created_at, hash)
  redis.call(
    'HSET', record, 'seller', seller_id, 'id', id, 'mode', mode, 'name', name, 'prefix', prefix,
    'created_at', created_at, 'revoke_at', ''
  )
  redis.call('HSET', index, id, hash)
end

local function create_api_key(keys, args)
  local kyc = redis.call('HGET', keys[1], 'kyc_status')
  if not kyc then
    return { 'no_seller' }
  end
  if redis.call('EXISTS', keys[3]) == 1 then
    return { 'created' }
  end
  if args[5] == 'live' and kyc ~= 'approved' then
    return { 'kyc_required' }
  end
  local active = 0
  for _, hash in ipairs(redis.call('HVALS', keys[2])) do
    local revoke_at = redis.call('HGET', args[3] .. hash, 'revoke_at')
    if revoke_at == '' then
      active = active + 1
    end
  end
  if active >= tonumber(args[2]) then
    return { 'limit' }
  end
  write_api_key(keys[2], keys[3], args[1], args[4], args[5], args[6], args[7], args[8], args[9])
  return { 'created' }
end

redis.register_function('corrente_create_api_key', create_api_key)
