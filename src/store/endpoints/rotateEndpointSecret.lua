-- Gives a webhook endpoint another secret; the one before counts for a while.
-- KEYS  1 destination  2 endpoints
-- ARGV  1 endpoint id  2 secret (ciphertext)  3 what may be shown of it  4 grace in ms
-- Reply {'rotated', until when the one before counts (ms)}
-- Refusals {'missing'}
local function rotate_endpoint_secret(keys, args)
  if not redis.call('ZSCORE', keys[2], args[1]) then
    return { 'missing' }
  end
  local record = redis.call('HMGET', keys[1], 'secret', 'secret_previous_until')
  -- Ciphertexts never repeat: this very operation wrote it, and its reply was lost.
  if record[1] == args[2] then
    return { 'rotated', record[2] }
  end
  local previous_until = integer(now_millis() + tonumber(args[4]))
  redis.call(
    'HSET', keys[1], 'secret', args[2], 'secret_prefix', args[3],
    'secret_previous', record[1], 'secret_previous_until', previous_until
  )
  return { 'rotated', previous_until }
end

redis.register_function('corrente_rotate_endpoint_secret', rotate_endpoint_secret)
