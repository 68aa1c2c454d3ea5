-- The event streams that a seller has open (docs/contract/events.md#stream-limits).

-- Takes one of a seller's stream slots.
--   change: connectionId, processId, streamsMax
-- Reply {'taken'}
-- Refusals {'full', connection id, process id, ...}: who holds the slots
function stream_slots.take(key, change)
  if redis.call('HLEN', key.streams) >= change.streamsMax and redis.call('HEXISTS', key.streams, change.connectionId) == 0 then
    local holders = redis.call('HGETALL', key.streams)
    table.insert(holders, 1, 'full')
    return holders
  end
  redis.call('HSET', key.streams, change.connectionId, change.processId)
  return { 'taken' }
end
