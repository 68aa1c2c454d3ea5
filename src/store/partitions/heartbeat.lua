-- Records that a process is alive, forgets processes long silent, and counts the live ones.
-- ARGV.silence_max_millis: silence up to which a process counts as live
-- ARGV.forgotten_after_millis: silence after which a process is forgotten
-- KEYS.process_streams, ARGV.streams: how many event streams it has open
-- KEYS.process_keys, ARGV.encryption_keys: the ids of its keys, newest first; absent where it has none
-- Reply how many are live
local function heartbeat(keys, args)
  local now = now_millis()
  redis.call('ZADD', KEYS.processes, integer(now), ARGV.process_id)
  local forgotten = redis.call('ZRANGEBYSCORE', KEYS.processes, '-inf', integer(now - tonumber(ARGV.forgotten_after_millis)))
  redis.call('HSET', KEYS.process_streams, ARGV.process_id, ARGV.streams)
  if ARGV.encryption_keys then
    redis.call('HSET', KEYS.process_keys, ARGV.process_id, ARGV.encryption_keys)
  end
  if #forgotten > 0 then
    redis.call('HDEL', KEYS.process_streams, unpack(forgotten))
    redis.call('HDEL', KEYS.process_keys, unpack(forgotten))
  end
  redis.call('ZREMRANGEBYSCORE', KEYS.processes, '-inf', integer(now - tonumber(ARGV.forgotten_after_millis)))
  return redis.call('ZCOUNT', KEYS.processes, integer(now - tonumber(ARGV.silence_max_millis)), '+inf')
end

redis.register_function('corrente_heartbeat', heartbeat)
