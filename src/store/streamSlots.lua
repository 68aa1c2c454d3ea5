-- The event streams that a seller has open (docs/contract/events.md#stream-limits).

-- Takes one of a seller's stream slots, for a key that is valid now.
--   change: sellerId, connectionId, processId, streamsMax, requested (the entry to resume from)
-- Reply {'taken', newest entry, oldest entry kept ('' = none), 1 if the requested one is kept}
-- Refusals {'key_invalid'} {'full', connection id, process id, ...}: who holds the slots
function stream_slots.take(key, change)
  if not requests.is_key_valid(key.apiKey, change.sellerId, now_millis()) then
    return { 'key_invalid' }
  end
  if redis.call('HLEN', key.streams) >= change.streamsMax and redis.call('HEXISTS', key.streams, change.connectionId) == 0 then
    local holders = redis.call('HGETALL', key.streams)
    table.insert(holders, 1, 'full')
    return holders
  end
  local oldest = redis.call('XRANGE', key.events, '-', '+', 'COUNT', 1)[1]
  local requested = change.requested and redis.call('XRANGE', key.events, change.requested, change.requested)[1]
  local newest = redis.call('HGET', key.feed, 'last') or '0-0'
  redis.call('HSET', key.streams, change.connectionId, change.processId)
  return { 'taken', newest, oldest and oldest[1] or '', requested and 1 or 0 }
end
