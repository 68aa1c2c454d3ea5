-- Records when API keys of a partition were last used. Deleted keys stay deleted.
-- ARGV_FROM.used_at: ms, one for each key
-- Reply {'touched'}
local function touch_api_keys(keys, args)
  local at = ARGV_FROM.used_at
  for i = KEYS_FROM.api_keys, #keys do
    local last = redis.call('HMGET', keys[i], 'seller', 'last_used_at')
    if last[1] and tonumber(last[2] or '0') < tonumber(args[at]) then
      redis.call('HSET', keys[i], 'last_used_at', args[at])
    end
    at = at + 1
  end
  return { 'touched' }
end

redis.register_function('corrente_touch_api_keys', touch_api_keys)
