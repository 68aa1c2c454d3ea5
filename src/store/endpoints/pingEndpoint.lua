-- Appends a ping to a feed and owes it to one endpoint, enabled or not.
-- ARGV.delivery_prefix: includes the endpoint's id
-- Reply {'queued'}
-- Refusals {'missing'}
local function ping_endpoint(keys, args)
  if not redis.call('ZSCORE', KEYS.endpoints, ARGV.endpoint_id) then
    return { 'missing' }
  end
  -- Only this caller knows the promised id, so this operation already queued the ping, but its reply was lost.
  if redis.call('HGET', KEYS.destination, 'last_ping') == ARGV.promised_id then
    return { 'queued' }
  end
  local now = now_millis()
  local outbox = { due = KEYS.due, wake = ARGV.wake_channel, queue_prefix = ARGV.queue_prefix }
  local entry = append_event(
    { events = KEYS.events, feed = KEYS.feed, hint = ARGV.hint_channel },
    { type = 'ping', resource = ARGV.endpoint_id, internal = '0', data = ARGV.event_data },
    outbox, tonumber(ARGV.retention_millis), now
  )
  local delivery = ARGV.delivery_prefix .. entry
  redis.call('HSET', delivery, 'state', 'scheduled', 'promised_id', ARGV.promised_id)
  redis.call('PEXPIRE', delivery, ARGV.retention_millis)
  redis.call('HSET', KEYS.destination, 'last_ping', ARGV.promised_id)
  owe(outbox, ARGV.endpoint_id, entry, now)
  return { 'queued' }
end

redis.register_function('corrente_ping_endpoint', ping_endpoint)
