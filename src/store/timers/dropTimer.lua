-- Drops a timer that calls for nothing any more, unless another has claimed or set it since.
-- ARGV.leased_until: end of the lease in ms ('' = whatever its state)
-- Reply 1 when it was dropped
local function drop_timer(keys, args)
  if ARGV.leased_until ~= '' then
    local due = redis.call('ZSCORE', KEYS.timers, ARGV.member)
    if not due or tonumber(due) ~= tonumber(ARGV.leased_until) then
      return 0
    end
  end
  return redis.call('ZREM', KEYS.timers, ARGV.member)
end

redis.register_function('corrente_drop_timer', drop_timer)
