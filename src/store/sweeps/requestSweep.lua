-- Asks for a sweep that begins after now.
-- Reply {'applied'}
local function request_sweep(keys, args)
  redis.call('HSET', KEYS.sweep, 'wanted', integer(now_millis()))
  return { 'applied' }
end

redis.register_function('corrente_request_sweep', request_sweep)
