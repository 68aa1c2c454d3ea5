-- Queues an ended delivery again, due now or in its turn, under a promised attempt id (docs/contract/deliveries.md#replay).
-- Reply {'queued'}
-- Refusals {'key_invalid'} {'missing'} {'succeeded'} {'scheduled'} {'expired'}: the feed no longer holds the event
local function retry_delivery(keys, args)
  local now = now_millis()
  if not key_is_valid(KEYS.api_key, ARGV.seller_id, now) then
    return { 'key_invalid' }
  end
  local attempt = redis.call('HMGET', KEYS.attempt, 'seller', 'mode', 'destination', 'entry')
  if attempt[1] ~= ARGV.seller_id or attempt[2] ~= ARGV.mode then
    return { 'missing' }
  end
  local delivery = ARGV.delivery_prefix .. attempt[3] .. ':' .. attempt[4]
  local record = redis.call('HMGET', delivery, 'state', 'turn')
  local state = record[1]
  if state == 'success' then
    return { 'succeeded' }
  end
  if state == 'leased' or state == 'scheduled' then
    return { 'scheduled' }
  end
  local found = state and redis.call('XRANGE', ARGV.events, attempt[4], attempt[4])[1]
  if not found then
    return { 'expired' }
  end
  redis.call('HSET', delivery, 'state', 'scheduled', 'promised_id', ARGV.promised_id, 'manual', '1')
  local outbox = { due = KEYS.due, wake = ARGV.wake_channel, queue_prefix = ARGV.queue_prefix }
  owe_again(outbox, attempt[3], record[2], found[2][2], attempt[4], now)
  return { 'queued' }
end

redis.register_function('corrente_retry_delivery', retry_delivery)
