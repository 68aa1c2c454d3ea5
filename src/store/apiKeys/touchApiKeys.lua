-- Notes when API keys of a partition were last used; those that have ended stay ended.
-- KEYS  api keys
-- ARGV  when each was used (ms)
-- Reply {'touched'}
local function touch_api_keys(keys, args)
  for i = 1, #keys do
    local last = redis.call('HMGET', keys[i], 'seller', 'last_used_at')
    if last[1] and tonumber(last[2] or '0') < tonumber(args[i]) then
      redis.call('HSET', keys[i], 'last_used_at', args[i])
    end
  end
  return { 'touched' }
end

redis.register_function('corrente_touch_api_keys', touch_api_keys)
