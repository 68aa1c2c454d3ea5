-- Owes deliveries of one endpoint once more, at once: those of the named entries that ended as failed or dead, but for pings.
-- KEYS  1 due  2 queue  3 events  4 endpoints
-- ARGV  1 endpoint id  2 delivery prefix of the endpoint  3 wake channel, then entry ids
-- Reply {'queued', how many}; none for an endpoint that is deleted
local function recover_deliveries(keys, args)
  local now = integer(now_millis())
  local queued = 0
  if not redis.call('ZSCORE', keys[4], args[1]) then
    return { 'queued', queued }
  end
  for i = 4, #args do
    local delivery = args[2] .. args[i]
    local state = redis.call('HGET', delivery, 'state')
    local ended = state == 'failed' or state == 'dead'
    local found = ended and redis.call('XRANGE', keys[3], args[i], args[i])[1]
    if found and found[2][4] ~= 'ping' then
      redis.call('HSET', delivery, 'state', 'scheduled', 'manual', '1')
      redis.call('ZADD', keys[2], now, args[i])
      queued = queued + 1
    end
  end
  if queued > 0 then
    redis.call('ZADD', keys[1], 'LT', now, args[1])
    redis.call('PUBLISH', args[3], 'd ' .. args[1])
  end
  return { 'queued', queued }
end

redis.register_function('corrente_recover_deliveries', recover_deliveries)
