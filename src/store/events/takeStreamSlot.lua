-- Takes one of a seller's stream slots (docs/contract/events.md#stream-limits).
-- Reply {'taken'}
-- Refusals {'full', connection id, process id, ...}: who holds the slots
local function take_stream_slot(keys, args)
  if redis.call('HLEN', KEYS.streams) >= tonumber(ARGV.streams_max) and redis.call('HEXISTS', KEYS.streams, ARGV.connection_id) == 0 then
    local holders = redis.call('HGETALL', KEYS.streams)
    table.insert(holders, 1, 'full')
    return holders
  end
  redis.call('HSET', KEYS.streams, ARGV.connection_id, ARGV.process_id)
  return { 'taken' }
end

redis.register_function('corrente_take_stream_slot', take_stream_slot)
