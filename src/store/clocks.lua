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

-- How far ahead a mode's clock was at a true moment, in ms; 0 in live.
function clocks.ahead_at(tag, seller_id, mode, millis)
  if mode ~= 'test' then
    return 0
  end
  local steps = key_names.clock_steps(tag, seller_id)
  local step = redis.call('ZREVRANGEBYSCORE', steps, integer(millis), '-inf', 'LIMIT', 0, 1)
  return tonumber(step[1] or '0')
end
