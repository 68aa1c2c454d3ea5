-- Does what every commit of the service does for its event, and nothing else: calls `append_event` of the service's
-- prelude.lua, which is prepended, in a separate library of the bench.
-- KEYS  1 events  2 feed
-- ARGV  1 hint channel  2 event type  3 resource  4 data  5 event retention ms  6 number of events
-- Reply the last entry id
local function append_events(keys, args)
  local entry
  for _ = 1, tonumber(args[6]) do
    entry = append_event(
      { events = keys[1], feed = keys[2], hint = args[1] },
      { type = args[2], resource = args[3], internal = '0', data = args[4] },
      {}, tonumber(args[5]), now_millis()
    )
  end
  return entry
end

redis.register_function('corrente_bench_append_events', append_events)
