-- When the first member of each queue is due: timers and destinations of partitions. Reads only.
-- Reply {ms until then (0 = now, -1 = none), for each}
local function next_due(keys)
  local now = now_millis()
  local reply = {}
  for i = KEYS_FROM.queues, #keys do
    local first = redis.call('ZRANGE', keys[i], 0, 0, 'WITHSCORES')
    reply[#reply + 1] = first[2] and math.max(0, tonumber(first[2]) - now) or -1
  end
  return reply
end

redis.register_function({ function_name = 'corrente_next_due', callback = next_due, flags = { 'no-writes' } })
