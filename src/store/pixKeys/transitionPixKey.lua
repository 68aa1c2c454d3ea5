-- Moves a PIX key to another status (docs/contract/pix-keys.md#states). A final status frees its value.
-- KEYS.old_partition_index, KEYS.new_partition_index: the partition's indexes of both statuses
-- ARGV.verified_at: '' = unchanged
-- ARGV.is_over: '1'/'0', whether the new status is final
-- Reply {'applied'}
-- Refusals {'missing'} {'stale'}: status or version has changed
local function transition_pix_key(keys, args)
  local record = redis.call('HMGET', KEYS.pix_key, 'status', 'version', 'value_hash')
  if not record[1] then
    return { 'missing' }
  end
  if record[1] ~= ARGV.old_status or record[2] ~= ARGV.expected_version then
    return { 'stale' }
  end
  redis.call('HSET', KEYS.pix_key, 'status', ARGV.new_status, 'version', integer(tonumber(ARGV.expected_version) + 1))
  if ARGV.verified_at ~= '' then
    redis.call('HSET', KEYS.pix_key, 'verified_at', ARGV.verified_at)
  end
  -- The value of a refused key may belong to another key by now.
  if ARGV.is_over == '1' and record[3] and redis.call('HGET', KEYS.values, record[3]) == ARGV.pix_key_id then
    redis.call('HDEL', KEYS.values, record[3])
  end
  redis.call('ZREM', KEYS.old_index, ARGV.pix_key_id)
  redis.call('ZADD', KEYS.new_index, 0, ARGV.pix_key_id)
  redis.call('ZREM', KEYS.old_partition_index, ARGV.pix_key_id)
  redis.call('ZADD', KEYS.new_partition_index, 0, ARGV.pix_key_id)
  return { 'applied' }
end

redis.register_function('corrente_transition_pix_key', transition_pix_key)
