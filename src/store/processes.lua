-- The processes that share the Redis: a sorted set by their last heartbeats, and hashes of what each tells of itself.

-- Records that a process is alive and what it tells of itself, forgets processes long silent, and counts the live ones.
--   change: processId
--     streams: how many event streams it has open
--     library: the version of its function library
--     encryptionKeys: the ids of its keys, newest first; absent where it has none
--     silenceMaxMillis: silence up to which a process counts as live
--     forgottenAfterMillis: silence after which a process is forgotten
-- Reply how many are live
function processes.heartbeat(key, change)
  local now = now_millis()
  local forgotten_before = integer(now - change.forgottenAfterMillis)
  redis.call('ZADD', key.processes, integer(now), change.processId)
  local forgotten = redis.call('ZRANGEBYSCORE', key.processes, '-inf', forgotten_before)
  redis.call('HSET', key.streams, change.processId, change.streams)
  redis.call('HSET', key.libraries, change.processId, change.library)
  if change.encryptionKeys then
    redis.call('HSET', key.encryptionKeys, change.processId, change.encryptionKeys)
  end
  if #forgotten > 0 then
    redis.call('HDEL', key.streams, unpack(forgotten))
    redis.call('HDEL', key.libraries, unpack(forgotten))
    redis.call('HDEL', key.encryptionKeys, unpack(forgotten))
  end
  redis.call('ZREMRANGEBYSCORE', key.processes, '-inf', forgotten_before)
  return redis.call('ZCOUNT', key.processes, integer(now - change.silenceMaxMillis), '+inf')
end

-- Tells how long a process has been silent.
--   change: processId
-- Reply ms since its last heartbeat, nil if it is unknown or forgotten
function processes.silence(key, change)
  local beat_at = redis.call('ZSCORE', key.processes, change.processId)
  return beat_at and now_millis() - tonumber(beat_at)
end

-- Reads the keys of ENCRYPTION_KEY that live processes have.
--   change: silenceMaxMillis (silence up to which a process counts as live)
-- Reply for each live process that has told them the ids of its keys, newest first, separated by commas
function processes.live_encryption_keys(key, change)
  local since = integer(now_millis() - change.silenceMaxMillis)
  local reply = {}
  for _, process_id in ipairs(redis.call('ZRANGEBYSCORE', key.processes, since, '+inf')) do
    local ids = redis.call('HGET', key.encryptionKeys, process_id)
    if ids then
      reply[#reply + 1] = ids
    end
  end
  return reply
end
