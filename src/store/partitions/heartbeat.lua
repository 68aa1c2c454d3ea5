-- Says that a process lives, forgets those long silent, and counts the living.
-- ARGV.silence_max_millis: of a process that counts as living
-- ARGV.forgotten_after_millis: of silence
-- Reply the number of living processes
local function heartbeat(keys, args)
  local now = now_millis()
  redis.call('ZADD', KEYS.processes, integer(now), ARGV.process_id)
  redis.call('ZREMRANGEBYSCORE', KEYS.processes, '-inf', integer(now - tonumber(ARGV.forgotten_after_millis)))
  return redis.call('ZCOUNT', KEYS.processes, integer(now - tonumber(ARGV.silence_max_millis)), '+inf')
end

redis.register_function('corrente_heartbeat', heartbeat)
