-- Creates a seller with its first API keys, or nothing.
-- KEYS  1 seller  2 sellers of the partition  3 keys of the first mode  4 keys of the second mode, then one api key
--       record each
-- ARGV  1 seller id  2 number of its field-value strings, those strings,
--       then of each key: id, mode, name, prefix, created at, hash, which of KEYS holds its mode's keys
-- Reply {'created'}
-- Refusals {'exists'}
local function create_seller(keys, args)
  if redis.call('EXISTS', keys[1], unpack(keys, 5)) > 0 then
    return { 'exists' }
  end
  local strings = tonumber(args[2])
  redis.call('HSET', keys[1], unpack(args, 3, 2 + strings))
  local at = 3 + strings
  for i = 5, #keys do
    redis.call(
      'HSET', keys[i], 'seller', args[1], 'id', args[at], 'mode', args[at + 1], 'name', args[at + 2],
      'prefix', args[at + 3], 'created_at', args[at + 4], 'revoke_at', ''
    )
    redis.call('HSET', keys[tonumber(args[at + 6])], args[at], args[at + 5])
    at = at + 7
  end
  redis.call('ZADD', keys[2], 0, args[1])
  return { 'created' }
end

redis.register_function('corrente_create_seller', create_seller)
