-- Reads how long a process has been silent.
-- Reply ms since its last heartbeat, nil if it is unknown or forgotten
local function silence(keys, args)
  local beat_at = redis.call('ZSCORE', KEYS.processes, ARGV.process_id)
  return beat_at and now_millis() - tonumber(beat_at)
end

redis.register_function('corrente_silence', silence)
