-- PIX keys (docs/contract/pix-keys.md).

-- Registers a PIX key.
--   change: id, valueHash, olderHashes (those of the value under earlier encryption keys), keysMax, fields
-- Reply {'created'}, also if this key already exists
-- Refusals {'no_seller'} {'exists'}: the seller already has this value in this mode {'limit'}
function pix_keys.create(key, change)
  if redis.call('EXISTS', key.seller) == 0 then
    return { 'no_seller' }
  end
  -- Its status may have changed since: writing it again would put it in the indexes of two statuses.
  if redis.call('EXISTS', key.pixKey) == 1 then
    return { 'created' }
  end
  for _, value_hash in ipairs({ change.valueHash, unpack(change.olderHashes) }) do
    if redis.call('HEXISTS', key.values, value_hash) == 1 then
      return { 'exists' }
    end
  end
  if redis.call('HLEN', key.values) >= change.keysMax then
    return { 'limit' }
  end
  set_fields(key.pixKey, change.fields)
  redis.call('HSET', key.values, change.valueHash, change.id)
  redis.call('ZADD', key.index, '0', change.id)
  redis.call('ZADD', key.statusIndex, '0', change.id)
  redis.call('ZADD', key.partitionIndex, '0', change.id)
  return { 'created' }
end

-- Moves a PIX key to another status. A final status frees its value.
--   change: id, version (that it was decided on), oldStatus, newStatus, verifiedAt (absent = unchanged), isOver (newStatus is final)
-- Reply {'applied'}
-- Refusals {'missing'} {'stale'}: status or version has changed
function pix_keys.transition(key, change)
  local record = redis.call('HMGET', key.pixKey, 'status', 'version', 'value_hash')
  if not record[1] then
    return { 'missing' }
  end
  if record[1] ~= change.oldStatus or tonumber(record[2]) ~= change.version then
    return { 'stale' }
  end
  redis.call('HSET', key.pixKey, 'status', change.newStatus, 'version', change.version + 1)
  if change.verifiedAt then
    redis.call('HSET', key.pixKey, 'verified_at', change.verifiedAt)
  end
  -- The value of a refused key may belong to another key by now.
  if change.isOver and record[3] and redis.call('HGET', key.values, record[3]) == change.id then
    redis.call('HDEL', key.values, record[3])
  end
  redis.call('ZREM', key.oldIndex, change.id)
  redis.call('ZADD', key.newIndex, '0', change.id)
  redis.call('ZREM', key.oldPartitionIndex, change.id)
  redis.call('ZADD', key.newPartitionIndex, '0', change.id)
  return { 'applied' }
end
