-- Replaces a seller's postback secret; the previous one ends at once (docs/contract/sellers.md#postback-secret).
-- ARGV_FROM.fields: names and values in turn
-- Reply {'rotated'}
-- Refusals {'no_seller'}
local function rotate_postback_secret(keys, args)
  if redis.call('EXISTS', KEYS.seller) == 0 then
    return { 'no_seller' }
  end
  redis.call('HSET', KEYS.seller, unpack(args, ARGV_FROM.fields))
  return { 'rotated' }
end

redis.register_function('corrente_rotate_postback_secret', rotate_postback_secret)
