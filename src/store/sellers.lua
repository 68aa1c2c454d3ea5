-- Sellers (docs/contract/sellers.md).

-- Creates a seller with its first API keys, or nothing.
--   key.records: those of the API keys
--   change: id, fields, apiKeys (one for each record, as api_keys.write takes it)
-- Reply {'created'}
-- Refusals {'exists'}
function sellers.create(key, change)
  if redis.call('EXISTS', key.seller, unpack(key.records)) > 0 then
    return { 'exists' }
  end
  set_fields(key.seller, change.fields)
  for i, api_key in ipairs(change.apiKeys) do
    local index = api_key.fields.mode == 'live' and key.liveApiKeys or key.testApiKeys
    api_keys.write(index, key.records[i], api_key)
  end
  seller_lookup.set(key.seller, change.id)
  redis.call('ZADD', key.sellers, '0', change.id)
  return { 'created' }
end

-- Deletes a seller just created whose user could not be created (docs/accounts.md#where-accounts-live).
--   key.records: those of its API keys
-- Reply {'discarded'}
function sellers.discard(key, change)
  redis.call('ZREM', key.sellers, change.id)
  local found_by = redis.call('HGET', key.seller, 'found_by')
  redis.call('DEL', key.seller, key.liveApiKeys, key.testApiKeys, unpack(key.records))
  seller_lookup.set(key.seller, change.id, found_by)
  return { 'discarded' }
end

-- Changes a seller, appends the event to both its feeds and notifies all processes.
--   change: id, version (that it was decided on), fields (the next version too), eventType, retentionMillis
-- Reply {'updated'}
-- Refusals {'no_seller'} {'stale'}: the version has changed
function sellers.update(key, change, event_data)
  local record = redis.call('HMGET', key.seller, 'status', 'version', 'found_by')
  if not record[1] then
    return { 'no_seller' }
  end
  if tonumber(record[2]) ~= change.version then
    return { 'stale' }
  end
  local event = { type = change.eventType, resource = change.id, data = event_data }
  local live_feed = { sellerId = change.id, mode = 'live', retentionMillis = change.retentionMillis }
  local test_feed = { sellerId = change.id, mode = 'test', retentionMillis = change.retentionMillis }
  local live = { events = key.liveEvents, feed = key.liveFeed, subscriptions = key.liveSubscriptions, due = key.due }
  local test = { events = key.testEvents, feed = key.testFeed, subscriptions = key.testSubscriptions, due = key.due }
  local now = now_millis()
  events.append(live, live_feed, event, now)
  events.append(test, test_feed, event, now)
  set_fields(key.seller, change.fields)
  seller_lookup.set(key.seller, change.id, record[3])
  redis.call('PUBLISH', key_names.sellers_changed(), change.id)
  return { 'updated' }
end

-- Replaces a seller's postback secret; the previous one ends at once (docs/contract/sellers.md#postback-secret).
--   change: fields
-- Reply {'rotated'}
-- Refusals {'no_seller'}
function sellers.rotate_postback_secret(key, change)
  if redis.call('EXISTS', key.seller) == 0 then
    return { 'no_seller' }
  end
  set_fields(key.seller, change.fields)
  return { 'rotated' }
end
