-- Lets a leased timer fire again later, unless another has claimed or set it since.
-- KEYS  1 timers
-- ARGV  1 member  2 end of the lease in ms  3 delay in ms  4 wake channel
-- Reply when it is due then in ms, 0 when it was not postponed
local function postpone_timer(keys, args)
  local due = redis.call('ZSCORE', keys[1], args[1])
  if not due or tonumber(due) ~= tonumber(args[2]) then
    return 0
  end
  local due_at = integer(now_millis() + tonumber(args[3]))
  redis.call('ZADD', keys[1], due_at, args[1])
  redis.call('PUBLISH', args[4], 't ' .. due_at)
  return due_at
end

redis.register_function('corrente_postpone_timer', postpone_timer)
