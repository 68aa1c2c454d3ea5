-- Clocks of test mode (docs/contract/test-controls.md#clock).

-- Advances a seller's clock and remembers the step, so that what happened before keeps its time.
--   change: millis, stepsMax
-- Reply {'advanced', how far ahead it is now, in ms}
function clocks.advance(key, change)
  local ahead = redis.call('INCRBY', key.clock, integer(change.millis))
  redis.call('ZADD', key.steps, integer(now_millis()), integer(ahead))
  redis.call('ZREMRANGEBYRANK', key.steps, 0, integer(-change.stepsMax - 1))
  return { 'advanced', integer(ahead) }
end

local function never_ahead()
  return 0
end

-- Returns a function that says how far ahead a mode's clock was at a true moment, in ms; 0 in live. For many moments: most clocks
-- never moved, and are asked once.
function clocks.reader(tag, seller_id, mode)
  local steps = mode == 'test' and key_names.clock_steps(tag, seller_id)
  if not steps or redis.call('EXISTS', steps) == 0 then
    return never_ahead
  end
  return function(millis)
    local step = redis.call('ZREVRANGEBYSCORE', steps, integer(millis), '-inf', 'LIMIT', 0, 1)
    return tonumber(step[1] or '0')
  end
end

-- The same for one moment.
function clocks.ahead_at(tag, seller_id, mode, millis)
  return clocks.reader(tag, seller_id, mode)(millis)
end
