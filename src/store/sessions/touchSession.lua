-- Records when a session was last used. An ended session stays ended.
-- ARGV.now: ms
-- Reply {'touched'}
-- Refusals {'missing'}
local function touch_session(keys, args)
  if redis.call('EXISTS', KEYS.session) == 0 then
    return { 'missing' }
  end
  redis.call('HSET', KEYS.session, 'last_seen_at', ARGV.now)
  return { 'touched' }
end

redis.register_function('corrente_touch_session', touch_session)
