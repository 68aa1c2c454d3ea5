-- Queues the named entries' failed and dead deliveries to one endpoint again, due now or in their turn. Skips
-- pings.
-- ARGV.delivery_prefix: includes the endpoint's id
-- ARGV_FROM.entries: entry ids, oldest first
-- Reply {'queued', how many}
-- Refusals {'disabled'}: or deleted
local function recover_deliveries(keys, args)
  local now = integer(now_millis())
  local queue_prefix = string.sub(KEYS.queue, 1, -1 - #ARGV.endpoint_id)
  local outbox = { due = KEYS.due, wake = ARGV.wake_channel, queue_prefix = queue_prefix }
  local queued = 0
  if redis.call('HEXISTS', KEYS.subscriptions, ARGV.endpoint_id) == 0 then
    return { 'disabled' }
  end
  for i = ARGV_FROM.entries, #args do
    local delivery = ARGV.delivery_prefix .. args[i]
    local record = redis.call('HMGET', delivery, 'state', 'turn')
    local state = record[1]
    local ended = state == 'failed' or state == 'dead'
    local found = ended and redis.call('XRANGE', KEYS.events, args[i], args[i])[1]
    if found and found[2][4] ~= 'ping' then
      redis.call('HSET', delivery, 'state', 'scheduled', 'manual', '1')
      if record[2] then
        owe_again(outbox, ARGV.endpoint_id, record[2], found[2][2], args[i], now)
      else
        redis.call('ZADD', KEYS.queue, now, args[i])
      end
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
