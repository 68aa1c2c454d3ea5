-- API keys (docs/contract/api-keys.md). A key's record is found by its hash, and its hash by its id in the index of its mode.

local function record_of(index, hash)
  return key_names.api_key(tag_of(index), hash)
end

-- Writes a key.
--   api_key: id, hash, fields
function api_keys.write(index, record, api_key)
  set_fields(record, api_key.fields)
  redis.call('HSET', index, api_key.id, api_key.hash)
end

-- Adds a key to a seller's mode.
--   change: id, hash, fields, mode, keysMax (those being revoked do not count)
-- Reply {'created'}, also if this key already exists
-- Refusals {'no_seller'} {'seller_not_allowed'}: suspended {'kyc_required'}: live needs approved KYC {'limit'}
function api_keys.create(key, change)
  local seller = redis.call('HMGET', key.seller, 'kyc_status', 'status')
  if not seller[1] then
    return { 'no_seller' }
  end
  if redis.call('EXISTS', key.record) == 1 then
    return { 'created' }
  end
  if seller[2] ~= 'active' then
    return { 'seller_not_allowed' }
  end
  if change.mode == 'live' and seller[1] ~= 'approved' then
    return { 'kyc_required' }
  end
  local active = 0
  for _, hash in ipairs(redis.call('HVALS', key.index)) do
    if redis.call('HGET', record_of(key.index, hash), 'revoke_at') == '' then
      active = active + 1
    end
  end
  if active >= change.keysMax then
    return { 'limit' }
  end
  api_keys.write(key.index, key.record, change)
  return { 'created' }
end

-- Adds a key that replaces another one, which keeps working for a grace period.
--   change: oldId, graceMillis, timer (name of the old key's), apiKey (as api_keys.write takes it)
-- Reply {'rotated', when the old key ends (ms)}
-- Refusals {'missing'} {'seller_not_allowed'}: suspended {'scheduled'}: the old key is already being revoked
function api_keys.rotate(key, change)
  local now = now_millis()
  local old_hash = redis.call('HGET', key.index, change.oldId)
  local old = old_hash and record_of(key.index, old_hash)
  local revoke_at = old and redis.call('HGET', old, 'revoke_at')
  if not revoke_at or (revoke_at ~= '' and tonumber(revoke_at) <= now) then
    return { 'missing' }
  end
  if redis.call('EXISTS', key.record) == 1 then
    return { 'rotated', revoke_at }
  end
  if redis.call('HGET', key.seller, 'status') ~= 'active' then
    return { 'seller_not_allowed' }
  end
  if revoke_at ~= '' then
    return { 'scheduled' }
  end
  local ends_at = now + change.graceMillis
  api_keys.write(key.index, key.record, change.apiKey)
  redis.call('HSET', old, 'revoke_at', ends_at)
  timers.set(key.timers, change.oldId, { { name = change.timer, dueMillis = ends_at } })
  return { 'rotated', ends_at }
end

-- Deletes a key and closes the streams that use it.
--   change: id, sellerId, mode, timer, isOnlyIfDue (only if its revocation time has passed)
-- Reply {'deleted'}
-- Refusals {'missing'} {'not_yet'}
function api_keys.delete(key, change)
  local timer = change.id .. ':' .. change.timer
  local hash = redis.call('HGET', key.index, change.id)
  if not hash then
    redis.call('ZREM', key.timers, timer)
    return { 'missing' }
  end
  local record = record_of(key.index, hash)
  local revoke_at = redis.call('HGET', record, 'revoke_at')
  local is_over = revoke_at and revoke_at ~= '' and tonumber(revoke_at) <= now_millis()
  if change.isOnlyIfDue and not is_over then
    return { 'not_yet' }
  end
  redis.call('DEL', record)
  redis.call('HDEL', key.index, change.id)
  redis.call('ZREM', key.timers, timer)
  redis.call('PUBLISH', key_names.hint(tag_of(key.index), change.sellerId, change.mode), 'revoked ' .. change.id)
  return { is_over and not change.isOnlyIfDue and 'missing' or 'deleted' }
end

-- Records when and from where keys of a partition were last used. Deleted keys stay deleted.
--   change: usedAtMillis, ipAddresses (one of both for each record; '': unknown)
-- Reply {'touched'}
function api_keys.touch(key, change)
  for i, record in ipairs(key.records) do
    local used_at = change.usedAtMillis[i]
    local last = redis.call('HMGET', record, 'seller', 'last_used_at')
    if last[1] and tonumber(last[2] or '0') < used_at then
      redis.call('HSET', record, 'last_used_at', used_at, 'last_used_ip', change.ipAddresses[i])
    end
  end
  return { 'touched' }
end
