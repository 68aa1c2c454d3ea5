-- Counts an SSE stream of a seller, unless it has its share (spec 4.2).
-- KEYS  1 streams
-- ARGV  1 connection id  2 process id  3 most streams
-- Reply {'taken'}
-- Refusals {'full', connection id, process id, ...}: who holds the slots
local function take_stream_slot(keys, args)
  if redis.call('HLEN', keys[1]) >= tonumber(args[3]) and redis.call('HEXISTS', keys[1], args[1]) == 0 then
    local holders = redis.call('HGETALL', keys[1])
    table.insert(holders, 1, 'full')
    return holders
  end
  redis.call('HSET', keys[1], args[1], args[2])
  return { 'taken' }
end

redis.register_function('corrente_take_stream_slot', take_stream_slot)
