-- Drops a timer with nothing left to do, unless it was claimed or set again since.
-- ARGV.leased_until: end of the caller's lease in ms ('' = drop it in any case)
-- Reply 1 if it was dropped, else 0
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
