-- Makes a leased timer fire again later, unless it was claimed or set again since.
-- ARGV.leased_until: end of the caller's lease in ms
-- Reply when it is due (ms), 0 if it was not postponed
local function postpone_timer(keys, args)
  local due = redis.call('ZSCORE', KEYS.timers, ARGV.member)
  if not due or tonumber(due) ~= tonumber(ARGV.leased_until) then
    return 0
  end
  local due_at = integer(now_millis() + tonumber(ARGV.delay_millis))
  redis.call('ZADD', KEYS.timers, due_at, ARGV.member)
  redis.call('PUBLISH', ARGV.wake_channel, 't ' .. due_at)
  return due_at
end

redis.register_function('corrente_postpone_timer', postpone_timer)
