-- Sets by what a seller is found, unless it has changed since it was read.
-- Reply {'indexed'}
-- Refusals {'stale'}: the version has changed, or there is no such seller
local function index_seller(keys, args)
  local record = redis.call('HMGET', KEYS.seller, 'version', 'found_by', 'status')
  if not record[3] or (record[1] or '') ~= ARGV.version then
    return { 'stale' }
  end
  redis.call('HSET', KEYS.seller, 'found_by', ARGV.found_by)
  seller_lookup.set(KEYS.seller, ARGV.seller_id, record[2])
  return { 'indexed' }
end

redis.register_function('corrente_index_seller', index_seller)
