-- Drops a timer that calls for nothing any more, unless another has claimed or set it since.
-- KEYS  1 timers
-- ARGV  1 member  2 end of the lease in ms ('' = whatever its state)
-- Reply 1 when it was dropped
local function drop_timer(keys, args)
  if args[2] ~= '' then
    local due = redis.call('ZSCORE', keys[1], args[1])
    if not due or tonumber(due) ~= tonumber(args[2]) then
      return 0
    end
  end
  return redis.call('ZREM', keys[1], args[1])
end

redis.register_function('corrente_drop_timer', drop_timer)
