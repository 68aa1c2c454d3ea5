-- Replaces the ciphertext of a PIX key's value if it is still as it was read, and the hash by which duplicates are found.
-- Reply {'resealed'}
-- Refusals {'stale'}: the value has changed, or the key is gone
local function reseal_pix_key(keys, args)
  local record = redis.call('HMGET', KEYS.pix_key, 'value', 'value_hash')
  if record[1] ~= ARGV.expected then
    return { 'stale' }
  end
  redis.call('HSET', KEYS.pix_key, 'value', ARGV.replacement, 'value_hash', ARGV.value_hash)
  -- A refused or removed key holds no value: another key may have it by now.
  if record[2] and redis.call('HGET', KEYS.values, record[2]) == ARGV.pix_key_id then
    redis.call('HDEL', KEYS.values, record[2])
    redis.call('HSET', KEYS.values, ARGV.value_hash, ARGV.pix_key_id)
  end
  return { 'resealed' }
end

redis.register_function('corrente_reseal_pix_key', reseal_pix_key)
