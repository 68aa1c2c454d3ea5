-- Webhook endpoints (docs/contract/endpoints.md).

-- Adds an endpoint (docs/contract/endpoints.md#limits).
--   change: id, fields, subscription (as deliveries.is_subscribed takes it), endpointsMax
-- Reply {'created'}, also if this endpoint already exists
-- Refusals {'no_seller'} {'limit'}
function endpoints.create(key, change)
  if redis.call('EXISTS', key.seller) == 0 then
    return { 'no_seller' }
  end
  if redis.call('ZSCORE', key.endpoints, change.id) then
    return { 'created' }
  end
  if redis.call('ZCARD', key.endpoints) >= change.endpointsMax then
    return { 'limit' }
  end
  set_fields(key.destination, change.fields)
  redis.call('ZADD', key.endpoints, '0', change.id)
  redis.call('HSET', key.subscriptions, change.id, change.subscription)
  return { 'created' }
end

-- When an endpoint was disabled, in its record (docs/contract/endpoints.md#missed-events): `disabled_after` is the newest entry
-- of the feed when it was disabled, and `outages` has the periods that have ended, oldest first, as `<after> <up to>` separated
-- by commas. Entries, not times: they are exact, and a period without events needs no record.

-- As `endpointOutagesMax` of schema/dueWorkLimits.ts. The two oldest periods become one where there would be more.
local outages_max = 100

local function newest_entry(feed)
  return redis.call('HGET', feed, 'last') or '0-0'
end

-- Notes in an endpoint's record that it is disabled from now on.
function endpoints.begin_outage(destination, feed)
  redis.call('HSET', destination, 'disabled_after', newest_entry(feed))
end

local function end_outage(destination, feed)
  local record = redis.call('HMGET', destination, 'disabled_after', 'outages')
  redis.call('HDEL', destination, 'disabled_after')
  local after, up_to = record[1], newest_entry(feed)
  if after == up_to then
    return
  end
  local outages = {}
  for outage in string.gmatch(record[2] or '', '[^,]+') do
    outages[#outages + 1] = outage
  end
  outages[#outages + 1] = after .. ' ' .. up_to
  if #outages > outages_max then
    local first = table.remove(outages, 1)
    outages[1] = string.match(first, '^%S*') .. ' ' .. string.match(outages[1], '%S+$')
  end
  redis.call('HSET', destination, 'outages', table.concat(outages, ','))
end

local function subscription_of(event_types, ordering)
  local listed = ',' .. event_types .. ','
  local subscription = string.find(listed, ',*,', 1, true) and '*' or listed
  return ordering == 'resource' and '>' .. subscription or subscription
end

-- `keeps_turns` says that claims look for turns: while the endpoint is ordered, and until what waited then has ended.
local function keep_turns(destination, endpoint_id, ordering, keeps_turns)
  if ordering == 'resource' then
    redis.call('HSET', destination, 'keeps_turns', '1')
  elseif keeps_turns and redis.call('EXISTS', deliveries.turns_key(destination, endpoint_id)) == 0 then
    redis.call('HDEL', destination, 'keeps_turns')
  end
end

-- Changes an endpoint and what fan-out sends to it.
--   key.feed: where disabling begins and ends
--   change: id, fields (those that change), isEnabled (absent = unchanged)
-- Reply {'updated', names and values in turn, secrets included}
-- Refusals {'missing'}
function endpoints.update(key, change)
  if not redis.call('ZSCORE', key.endpoints, change.id) then
    return { 'missing' }
  end
  if next(change.fields) then
    set_fields(key.destination, change.fields)
  end
  local was_enabled = redis.call('HGET', key.destination, 'enabled') == '1'
  if change.isEnabled == true and not was_enabled then
    redis.call('HSET', key.destination, 'enabled', '1', 'dead_streak', 0)
    redis.call(
      'HDEL', key.destination, 'disabled_reason', 'auto_disabled_at', 'failing_since', 'failing_attempts', 'failing_told'
    )
    end_outage(key.destination, key.feed)
  elseif change.isEnabled == false and was_enabled then
    redis.call('HSET', key.destination, 'enabled', '0', 'disabled_reason', 'manual')
    redis.call('HDEL', key.destination, 'auto_disabled_at')
    endpoints.begin_outage(key.destination, key.feed)
  end
  local record = redis.call('HMGET', key.destination, 'enabled', 'events', 'ordering', 'keeps_turns')
  keep_turns(key.destination, change.id, record[3], record[4])
  if record[1] == '1' then
    redis.call('HSET', key.subscriptions, change.id, subscription_of(record[2], record[3]))
  else
    redis.call('HDEL', key.subscriptions, change.id)
  end
  return { 'updated', unpack(redis.call('HGETALL', key.destination)) }
end

-- Deletes an endpoint (docs/contract/endpoints.md#deletion). Its record stays while deliveries may be owed to it.
--   key.postbacks: also lists deleted endpoints, so that the test clock still finds their deliveries
--   key.attempts: ids of the endpoint's attempts
--   change: id, operation, retentionMillis
-- Reply {'deleted'}
-- Refusals {'missing'}
function endpoints.delete(key, change)
  if redis.call('ZREM', key.endpoints, change.id) == 0 then
    -- This same operation may have deleted it already, and its reply was lost.
    local is_ours = redis.call('HGET', key.destination, 'deleted_by') == change.operation
    return { is_ours and 'deleted' or 'missing' }
  end
  redis.call('HSET', key.destination, 'enabled', '0', 'deleted_by', change.operation)
  -- Nothing is sent to it any more: the password of its URL ends at once.
  redis.call('HDEL', key.destination, 'url_password')
  redis.call('PEXPIRE', key.destination, change.retentionMillis)
  redis.call('HDEL', key.subscriptions, change.id)
  local now = now_millis()
  redis.call('ZADD', key.postbacks, now, change.id)
  redis.call('ZREMRANGEBYSCORE', key.postbacks, '-inf', '(' .. integer(now - change.retentionMillis))
  series.end_of_endpoint(tag_of(key.destination), change.id, now)
  -- The rows of its attempts expire within the retention; an attempt that is still owed extends it.
  redis.call('PEXPIRE', key.attempts, change.retentionMillis)
  return { 'deleted' }
end

-- Replaces an endpoint's secret; the previous one stays valid for a grace period.
--   change: id, secret (ciphertext), secretPrefix (may be shown), graceMillis
-- Reply {'rotated', when the previous secret ends (ms)}
-- Refusals {'missing'}
function endpoints.rotate_secret(key, change)
  if not redis.call('ZSCORE', key.endpoints, change.id) then
    return { 'missing' }
  end
  local record = redis.call('HMGET', key.destination, 'secret', 'secret_previous_until')
  -- Ciphertexts never repeat, so this operation already wrote it, but its reply was lost.
  if record[1] == change.secret then
    return { 'rotated', record[2] }
  end
  local previous_until = now_millis() + change.graceMillis
  redis.call(
    'HSET', key.destination, 'secret', change.secret, 'secret_prefix', change.secretPrefix,
    'secret_previous', record[1], 'secret_previous_until', previous_until
  )
  return { 'rotated', previous_until }
end

-- Appends a ping to a feed and owes it to one endpoint, enabled or not.
--   change: id, promisedId (that of its attempt), sellerId, mode, retentionMillis
-- Reply {'queued'}
-- Refusals {'missing'}
function endpoints.ping(key, change, event_data)
  if not redis.call('ZSCORE', key.endpoints, change.id) then
    return { 'missing' }
  end
  -- Only this caller knows the promised id, so this operation already queued the ping, but its reply was lost.
  if redis.call('HGET', key.destination, 'last_ping') == change.promisedId then
    return { 'queued' }
  end
  local now = now_millis()
  local feed = { events = key.events, feed = key.feed, due = key.due }
  local entry = events.append(feed, change, { type = 'ping', resource = change.id, data = event_data }, now)
  local delivery = key_names.delivery(tag_of(key.due), change.id, entry)
  redis.call('HSET', delivery, 'state', 'scheduled', 'promised_id', change.promisedId)
  redis.call('PEXPIRE', delivery, change.retentionMillis)
  redis.call('HSET', key.destination, 'last_ping', change.promisedId)
  deliveries.owe(key.due, { change.id }, entry, now)
  return { 'queued' }
end
