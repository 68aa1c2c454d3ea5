-- Changes a seller, and tells both feeds and all processes of it, unless the seller has changed since the change was decided on.
-- KEYS  1 seller  2 due
--       3 live events  4 live feed  5 live subscriptions  6 test events  7 test feed  8 test subscriptions
-- ARGV  1 seller id  2 version the change was decided on  3 event type  4 event data  5 retention ms
--       6 wake channel  7 queue prefix  8 live hint channel  9 test hint channel  10 channel of changed sellers,
--       then field-value strings
-- Reply {'updated'}
-- Refusals {'no_seller'} {'stale'}
local function update_seller(keys, args)
  local record = redis.call('HMGET', keys[1], 'status', 'version')
  if not record[1] then
    return { 'no_seller' }
  end
  local version = tonumber(record[2] or '') or 0
  if version ~= tonumber(args[2]) then
    return { 'stale' }
  end
  check_pairs(args, 11)
  local now = now_millis()
  local retention = tonumber(args[5])
  local event = { type = args[3], resource = args[1], internal = '0', data = args[4] }
  local outbox = { due = keys[2], wake = args[6], queue_prefix = args[7] }
  local live = { events = keys[3], feed = keys[4], subscriptions = keys[5], hint = args[8] }
  local test = { events = keys[6], feed = keys[7], subscriptions = keys[8], hint = args[9] }
  append_event(live, event, outbox, retention, now)
  append_event(test, event, outbox, retention, now)
  redis.call('HSET', keys[1], 'version', integer(version + 1), unpack(args, 11))
  redis.call('PUBLISH', args[10], args[1])
  return { 'updated' }
end

redis.register_function('corrente_update_seller', update_seller)
