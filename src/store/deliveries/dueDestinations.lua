-- Lists the destinations of a partition that have something to claim now, most overdue first. Reads only.
-- Reply {ms until the next one is due (-1 = none), destination id...}
local function due_destinations(keys, args)
  local now = now_millis()
  local ids = redis.call('ZRANGEBYSCORE', KEYS.due, '-inf', integer(now), 'LIMIT', ARGV.skip, ARGV.destinations_max)
  local later = redis.call('ZRANGEBYSCORE', KEYS.due, '(' .. integer(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  local next_in = -1
  if later[2] then
    next_in = math.max(0, tonumber(later[2]) - now)
  end
  table.insert(ids, 1, next_in)
  return ids
end

redis.register_function({
  function_name = 'corrente_due_destinations', callback = due_destinations, flags = { 'no-writes' }
})
