-- Adds an API key to a seller's mode.
-- Reply {'created'}, also if this key already exists
-- Refusals {'no_seller'} {'seller_not_allowed'}: suspended {'kyc_required'}: live needs approved KYC
--   {'limit'}: keys being revoked do not count
local function write_api_key(index, record, seller_id, id, mode, name, prefix, created_at, hash)
  redis.call(
    'HSET', record, 'seller', seller_id, 'id', id, 'mode', mode, 'name', name, 'prefix', prefix,
    'created_at', created_at, 'revoke_at', ''
  )
  redis.call('HSET', index, id, hash)
end

local function create_api_key(keys, args)
  local seller = redis.call('HMGET', KEYS.seller, 'kyc_status', 'status')
  if not seller[1] then
    return { 'no_seller' }
  end
  if redis.call('EXISTS', KEYS.api_key) == 1 then
    return { 'created' }
  end
  if seller[2] ~= 'active' then
    return { 'seller_not_allowed' }
  end
  if ARGV.mode == 'live' and seller[1] ~= 'approved' then
    return { 'kyc_required' }
  end
  local active = 0
  for _, hash in ipairs(redis.call('HVALS', KEYS.keys_of_mode)) do
    local revoke_at = redis.call('HGET', ARGV.api_key_prefix .. hash, 'revoke_at')
    if revoke_at == '' then
      active = active + 1
    end
  end
  if active >= tonumber(ARGV.keys_max) then
    return { 'limit' }
  end
  write_api_key(KEYS.keys_of_mode, KEYS.api_key, ARGV.seller_id, ARGV.key_id, ARGV.mode, ARGV.name, ARGV.shown_prefix, ARGV.created_at, ARGV.key_hash)
  return { 'created' }
end

redis.register_function('corrente_create_api_key', create_api_key)
