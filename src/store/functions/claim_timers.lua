-- Leases the due timers of a partition; a committed transition drops them, a crash lets them fire again.
-- KEYS  1 timers
-- ARGV  1 most timers to take  2 lease ms
-- Reply {ms until the next timer is due (-1 = none), end of the leases in ms, member...}; a member is `<resource id>:<name>`
local function claim_timers(keys, args)
  local now = now_millis()
  local due = redis.call('ZRANGEBYSCORE', keys[1], '-inf', integer(now), 'LIMIT', 0, args[1])
  local lease_end = integer(now + tonumber(args[2]))
  for i = 1, #due do
    redis.call('ZADD', keys[1], lease_end, due[i])
  end
  local next_timer = redis.call('ZRANGE', keys[1], 0, 0, 'WITHSCORES')
  local next_in = -1
  if next_timer[2] then
    next_in = math.max(0, tonumber(next_timer[2]) - now)
  end
  table.insert(due, 1, lease_end)
  table.insert(due, 1, next_in)
  return due
end

redis.register_function('corrente_claim_timers', claim_timers)
