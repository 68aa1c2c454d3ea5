-- Does what every commit of the service does for its event and the deliveries it owes, and nothing else: calls
-- `append_event` of the service's prelude.lua, which is prepended, in a separate library of the bench.
-- KEYS  1 events  2 feed  3 subscriptions  4 due
-- ARGV  1 hint channel  2 wake channel  3 queue prefix  4 event type  5 resource  6 data  7 event retention ms
-- Reply the entry id
local function owe_event(keys, args)
  return append_event(
    { events = keys[1], feed = keys[2], subscriptions = keys[3], hint = args[1] },
    { type = args[4], resource = args[5], internal = '0', data = args[6] },
    { due = keys[4], wake = args[2], queue_prefix = args[3] }, tonumber(args[7]), now_millis()
  )
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

redis.register_function('corrente_bench_owe_event', owe_event)
redis.register_function('corrente_bench_due_at', due_at)
