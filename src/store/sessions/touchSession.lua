-- Notes that a session was used; one that has ended stays ended.
-- KEYS  1 session
-- ARGV  1 now (ms)
-- Reply {'touched'}
-- Refusals {'missing'}
local function touch_session(keys, args)
  if redis.call('EXISTS', keys[1]) == 0 then
    return { 'missing' }
  end
  redis.call('HSET', keys[1], 'last_seen_at', args[1])
  return { 'touched' }
end

redis.register_function('corrente_touch_session', touch_session)
