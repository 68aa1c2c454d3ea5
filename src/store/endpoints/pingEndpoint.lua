-- Appends a ping to a feed and owes it to one endpoint, enabled or not.
-- KEYS  1 destination  2 endpoints  3 events  4 feed  5 due
-- ARGV  1 endpoint id  2 promised delivery id  3 data  4 event retention ms  5 hint channel  6 wake channel
--       7 queue prefix  8 delivery prefix of the endpoint
-- Reply {'queued'}
-- Refusals {'missing'}
local function ping_endpoint(keys, args)
  if not redis.call('ZSCORE', keys[2], args[1]) then
    return { 'missing' }
  end
  -- The promised id is the caller's alone: this very operation queued it, and its reply was lost.
  if redis.call('HGET', keys[1], 'last_ping') == args[2] then
    return { 'queued' }
  end
  local now = now_millis()
  local outbox = { due = keys[5], wake = args[6], queue_prefix = args[7] }
  local entry = append_event(
    { events = keys[3], feed = keys[4], hint = args[5] },
    { type = 'ping', resource = args[1], internal = '0', data = args[3] },
    outbox, tonumber(args[4]), now
  )
  local delivery = args[8] .. entry
  redis.call('HSET', delivery, 'state', 'scheduled', 'promised_id', args[2])
  redis.call('PEXPIRE', delivery, args[4])
  redis.call('HSET', keys[1], 'last_ping', args[2])
  owe(outbox, args[1], entry, now)
  return { 'queued' }
end

redis.register_function('corrente_ping_endpoint', ping_endpoint)
