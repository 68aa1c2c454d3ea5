-- Owes an ended delivery once more, at once, under a promised attempt id (spec 4.4).
-- KEYS  1 api key  2 attempt  3 due
-- ARGV  1 seller id  2 mode  3 promised id  4 delivery prefix  5 queue prefix  6 events  7 wake channel
-- Reply {'queued'}
-- Refusals {'key_invalid'} {'missing'} {'succeeded'} {'scheduled'} {'expired'}: its event is no longer kept
local function retry_delivery(keys, args)
  local now = now_millis()
  if not key_is_valid(keys[1], args[1], now) then
    return { 'key_invalid' }
  end
  local attempt = redis.call('HMGET', keys[2], 'seller', 'mode', 'destination', 'entry')
  if attempt[1] ~= args[1] or attempt[2] ~= args[2] then
    return { 'missing' }
  end
  local delivery = args[4] .. attempt[3] .. ':' .. attempt[4]
  local state = redis.call('HGET', delivery, 'state')
  if state == 'success' then
    return { 'succeeded' }
  end
  if state == 'leased' or state == 'scheduled' then
    return { 'scheduled' }
  end
  if not state or #redis.call('XRANGE', args[6], attempt[4], attempt[4]) == 0 then
    return { 'expired' }
  end
  redis.call('HSET', delivery, 'state', 'scheduled', 'promised_id', args[3], 'manual', '1')
  owe({ due = keys[3], wake = args[7], queue_prefix = args[5] }, attempt[3], attempt[4], now)
  return { 'queued' }
end

redis.register_function('corrente_retry_delivery', retry_delivery)
