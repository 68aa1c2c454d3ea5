-- Moves timers to an earlier time, those that are set; a leased one only fires again sooner, which does no harm.
-- KEYS  1 timers
-- ARGV  1 ms  2 wake channel, then members (`<resource id>:<name>`)
-- Reply how many were moved
local function shift_timers(keys, args)
  local moved = 0
  local soonest = nil
  for i = 3, #args do
    local due = redis.call('ZSCORE', keys[1], args[i])
    if due then
      local earlier = math.max(0, tonumber(due) - tonumber(args[1]))
      redis.call('ZADD', keys[1], integer(earlier), args[i])
      moved = moved + 1
      if soonest == nil or earlier < soonest then
        soonest = earlier
      end
    end
  end
  if soonest ~= nil then
    redis.call('PUBLISH', args[2], 't ' .. integer(soonest))
  end
  return moved
end

redis.register_function('corrente_shift_timers', shift_timers)
