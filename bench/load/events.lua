-- What commits of the service do for their events, and nothing else: calls `events.append` of the service, in a separate library of
-- the bench.

-- Appends an event to the feed whose keys these are.
--   args: event type, resource, data, retention in ms
local function append(key, args)
  local seller_id, mode = string.match(key.events, '}:([^:]+):(%a+)$')
  return events.append(
    key, { sellerId = seller_id, mode = mode, retentionMillis = tonumber(args[4]) },
    { type = args[1], resource = args[2], data = args[3] }, now_millis()
  )
end

-- KEYS  1 events  2 feed
-- ARGV  1 event type  2 resource  3 data  4 event retention ms  5 number of events
-- Reply the last entry id
local function append_events(keys, args)
  local entry
  for _ = 1, tonumber(args[5]) do
    entry = append({ events = keys[1], feed = keys[2] }, args)
  end
  return entry
end

-- The same with the deliveries that the event owes.
-- KEYS  1 events  2 feed  3 subscriptions  4 due
-- ARGV  1 event type  2 resource  3 data  4 event retention ms
-- Reply the entry id
local function owe_event(keys, args)
  return append({ events = keys[1], feed = keys[2], subscriptions = keys[3], due = keys[4] }, args)
end

-- Moves everything owed to a destination to one moment, as if its retries had been scheduled for then.
-- KEYS  1 queue  2 due
-- ARGV  1 destination id  2 due ms
-- Reply the number of moved deliveries
local function due_at(keys, args)
  local entries = redis.call('ZRANGE', keys[1], 0, -1)
  for i = 1, #entries do
    redis.call('ZADD', keys[1], args[2], entries[i])
  end
  if #entries > 0 then
    redis.call('ZADD', keys[2], args[2], args[1])
  end
  return #entries
end

redis.register_function('corrente_bench_append_events', append_events)
redis.register_function('corrente_bench_owe_event', owe_event)
redis.register_function('corrente_bench_due_at', due_at)
