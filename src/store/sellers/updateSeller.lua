-- Changes a seller, appends the event to both its feeds and notifies all processes.
-- ARGV.expected_version: the version that the change was decided on
-- ARGV_FROM.fields: names and values in turn
-- Reply {'updated'}
-- Refusals {'no_seller'} {'stale'}: the version has changed
local function update_seller(keys, args)
  local record = redis.call('HMGET', KEYS.seller, 'status', 'version', 'found_by')
  if not record[1] then
    return { 'no_seller' }
  end
  local version = tonumber(record[2] or '') or 0
  if version ~= tonumber(ARGV.expected_version) then
    return { 'stale' }
  end
  check_pairs(args, ARGV_FROM.fields)
  local now = now_millis()
  local retention = tonumber(ARGV.retention_millis)
  local event = { type = ARGV.event_type, resource = ARGV.seller_id, internal = '0', data = ARGV.event_data }
  local outbox = { due = KEYS.due, wake = ARGV.wake_channel, queue_prefix = ARGV.queue_prefix }
  local live = { events = KEYS.live_events, feed = KEYS.live_feed, subscriptions = KEYS.live_subscriptions, hint = ARGV.live_hint_channel }
  local test = { events = KEYS.test_events, feed = KEYS.test_feed, subscriptions = KEYS.test_subscriptions, hint = ARGV.test_hint_channel }
  append_event(live, event, outbox, retention, now)
  append_event(test, event, outbox, retention, now)
  redis.call('HSET', KEYS.seller, 'version', integer(version + 1), unpack(args, ARGV_FROM.fields))
  seller_lookup.set(KEYS.seller, ARGV.seller_id, record[3])
  redis.call('PUBLISH', ARGV.sellers_channel, ARGV.seller_id)
  return { 'updated' }
end

redis.register_function('corrente_update_seller', update_seller)
