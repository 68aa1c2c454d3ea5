-- Registers a PIX key (docs/contract/pix-keys.md#limits).
-- KEYS.partition_index: the partition's index of this status
-- ARGV.value_hash: its hash, and, separated by spaces, those under earlier keys, by which it may have been registered before
-- ARGV_FROM.fields: names and values in turn
-- Reply {'created'}, also if this key already exists
-- Refusals {'no_seller'} {'exists'}: the seller already has this value in this mode {'limit'}
local function create_pix_key(keys, args)
  if redis.call('EXISTS', KEYS.seller) == 0 then
    return { 'no_seller' }
  end
  -- Its status may have changed since: writing it again would put it in the indexes of two statuses.
  if redis.call('EXISTS', KEYS.pix_key) == 1 then
    return { 'created' }
  end
  for value_hash in string.gmatch(ARGV.value_hash, '%S+') do
    if redis.call('HEXISTS', KEYS.values, value_hash) == 1 then
      return { 'exists' }
    end
  end
  local newest_hash = string.match(ARGV.value_hash, '%S+')
  if redis.call('HLEN', KEYS.values) >= tonumber(ARGV.keys_max) then
    return { 'limit' }
  end
  redis.call('HSET', KEYS.pix_key, 'value_hash', newest_hash, unpack(args, ARGV_FROM.fields))
  redis.call('HSET', KEYS.values, newest_hash, ARGV.pix_key_id)
  redis.call('ZADD', KEYS.index, 0, ARGV.pix_key_id)
  redis.call('ZADD', KEYS.status_index, 0, ARGV.pix_key_id)
  redis.call('ZADD', KEYS.partition_index, 0, ARGV.pix_key_id)
  return { 'created' }
end

redis.register_function('corrente_create_pix_key', create_pix_key)
