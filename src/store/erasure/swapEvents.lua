-- Lets a copy of a feed's events take their place, with the events that the feed has had since.
-- ARGV.last: the last entry copied
-- ARGV.rewrites: how often the feed had been rewritten when the copy began
-- Reply {'swapped'}  {'more'}: too many events since; copy them first
-- Refusals {'stale'}: another run has rewritten the feed, or the copy is gone
local function swap_events(keys, args)
  if (redis.call('HGET', KEYS.feed, 'rewrites') or '0') ~= ARGV.rewrites or redis.call('EXISTS', KEYS.copy) == 0 then
    return { 'stale' }
  end
  local tail = redis.call('XRANGE', KEYS.events, '(' .. ARGV.last, '+', 'COUNT', tonumber(ARGV.tail_max) + 1)
  if #tail > tonumber(ARGV.tail_max) then
    return { 'more' }
  end
  for _, entry in ipairs(tail) do
    redis.call('XADD', KEYS.copy, entry[1], unpack(entry[2]))
  end
  redis.call('PERSIST', KEYS.copy)
  redis.call('RENAME', KEYS.copy, KEYS.events)
  redis.call('HINCRBY', KEYS.feed, 'rewrites', 1)
  return { 'swapped' }
end

redis.register_function('corrente_swap_events', swap_events)
