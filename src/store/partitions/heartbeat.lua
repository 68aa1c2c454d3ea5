-- Says that a process lives, forgets those long silent, and counts the living.
-- KEYS  1 processes
-- ARGV  1 process id  2 ms of silence after which a process counts as dead  3 ms after which it is forgotten
-- Reply the number of living processes
local function heartbeat(keys, args)
  local now = now_millis()
  redis.call('ZADD', keys[1], integer(now), args[1])
  redis.call('ZREMRANGEBYSCORE', keys[1], '-inf', integer(now - tonumber(args[3])))
  return redis.call('ZCOUNT', keys[1], integer(now - tonumber(args[2])), '+inf')
end

-- Says for how long a process has been silent.
-- KEYS  1 processes
-- ARGV  1 process id
-- Reply ms since its last heartbeat, or nil where it never beat or is forgotten
local function silence(keys, args)
  local beat_at = redis.call('ZSCORE', keys[1], args[1])
  return beat_at and now_millis() - tonumber(beat_at)
end

redis.register_function('corrente_heartbeat', heartbeat)
redis.register_function('corrente_silence', silence)
