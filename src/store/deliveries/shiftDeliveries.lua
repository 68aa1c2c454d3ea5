-- Makes deliveries to one destination due earlier, except leased ones: their attempt is already running.
-- ARGV.delivery_prefix: includes the destination's id
-- ARGV_FROM.entries: entry ids
-- Reply how many were moved
local function shift_deliveries(keys, args)
  local moved = 0
  for i = ARGV_FROM.entries, #args do
    local due = redis.call('ZSCORE', KEYS.queue, args[i])
    if due and redis.call('HGET', ARGV.delivery_prefix .. args[i], 'state') ~= 'leased' then
      redis.call('ZADD', KEYS.queue, integer(math.max(0, tonumber(due) - tonumber(ARGV.millis))), args[i])
      moved = moved + 1
    end
  end
  if moved > 0 then
    local soonest = redis.call('ZRANGE', KEYS.queue, 0, 0, 'WITHSCORES')
    redis.call('ZADD', KEYS.due, soonest[2], ARGV.destination_id)
    redis.call('PUBLISH', ARGV.wake_channel, 'd ' .. ARGV.destination_id)
  end
  return moved
end

redis.register_function('corrente_shift_deliveries', shift_deliveries)
