-- Queues the named entries' failed and dead deliveries to one endpoint again, due now. Skips pings.
-- ARGV.delivery_prefix: includes the endpoint's id
-- ARGV_FROM.entries: entry ids
-- Reply {'queued', how many}; 0 for a deleted endpoint
local function recover_deliveries(keys, args)
  local now = integer(now_millis())
  local queued = 0
  if not redis.call('ZSCORE', KEYS.endpoints, ARGV.endpoint_id) then
    return { 'queued', queued }
  end
  for i = ARGV_FROM.entries, #args do
    local delivery = ARGV.delivery_prefix .. args[i]
    local state = redis.call('HGET', delivery, 'state')
    local ended = state == 'failed' or state == 'dead'
    local found = ended and redis.call('XRANGE', KEYS.events, args[i], args[i])[1]
    if found and found[2][4] ~= 'ping' then
      redis.call('HSET', delivery, 'state', 'scheduled', 'manual', '1')
      redis.call('ZADD', KEYS.queue, now, args[i])
      queued = queued + 1
    end
  end
  if queued > 0 then
    redis.call('ZADD', KEYS.due, 'LT', now, ARGV.endpoint_id)
    redis.call('PUBLISH', ARGV.wake_channel, 'd ' .. ARGV.endpoint_id)
  end
  return { 'queued', queued }
end

redis.register_function('corrente_recover_deliveries', recover_deliveries)
