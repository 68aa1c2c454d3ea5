-- Makes timers due earlier, if they are set. A leased one just fires again sooner, which does no harm.
-- ARGV_FROM.members: `<resource id>:<name>`
-- Reply how many were moved
local function shift_timers(keys, args)
  local moved = 0
  local soonest = nil
  for i = ARGV_FROM.members, #args do
    local due = redis.call('ZSCORE', KEYS.timers, args[i])
    if due then
      local earlier = math.max(0, tonumber(due) - tonumber(ARGV.millis))
      redis.call('ZADD', KEYS.timers, integer(earlier), args[i])
      moved = moved + 1
      if soonest == nil or earlier < soonest then
        soonest = earlier
      end
    end
  end
  if soonest ~= nil then
    redis.call('PUBLISH', ARGV.wake_channel, 't ' .. integer(soonest))
  end
  return moved
end

redis.register_function('corrente_shift_timers', shift_timers)
