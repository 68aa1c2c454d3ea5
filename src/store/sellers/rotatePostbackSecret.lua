-- Gives a store another postback secret; the one before ends at once (spec 5.5).
-- KEYS  1 seller
-- ARGV  field-value strings of the secret
-- Reply {'rotated'}
-- Refusals {'no_seller'}
local function rotate_postback_secret(keys, args)
  if redis.call('EXISTS', keys[1]) == 0 then
    return { 'no_seller' }
  end
  redis.call('HSET', keys[1], unpack(args))
  return { 'rotated' }
end

redis.register_function('corrente_rotate_postback_secret', rotate_postback_secret)
