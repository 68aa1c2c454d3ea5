-- Creates a seller with its first API keys, or nothing.
-- KEYS  1 seller, then one api key record each
-- ARGV  1 seller id  2 number of its field-value strings, those strings,
--       then of each key: id, mode, name, prefix, created at
-- Reply {'created'}
-- Refusals {'exists'}
local function create_seller(keys, args)
  if redis.call('EXISTS', unpack(keys)) > 0 then
    return { 'exists' }
  end
  local strings = tonumber(args[2])
  redis.call('HSET', keys[1], unpack(args, 3, 2 + strings))
  local at = 3 + strings
  for i = 2, #keys do
    redis.call(
      'HSET', keys[i], 'seller', args[1], 'id', args[at], 'mode', args[at + 1], 'name', args[at + 2],
      'prefix', args[at + 3], 'created_at', args[at + 4], 'revoke_at', ''
    )
    at = at + 5
  end
  return { 'created' }
end

redis.register_function('corrente_create_seller', create_seller)
