-- Replaces a webhook endpoint's secret; the previous one stays valid for a grace period.
-- ARGV.secret: ciphertext
-- Reply {'rotated', when the previous secret ends (ms)}
-- Refusals {'missing'}
local function rotate_endpoint_secret(keys, args)
  if not redis.call('ZSCORE', KEYS.endpoints, ARGV.endpoint_id) then
    return { 'missing' }
  end
  local record = redis.call('HMGET', KEYS.destination, 'secret', 'secret_previous_until')
  -- Ciphertexts never repeat, so this operation already wrote it, but its reply was lost.
  if record[1] == ARGV.secret then
    return { 'rotated', record[2] }
  end
  local previous_until = integer(now_millis() + tonumber(ARGV.grace_millis))
  redis.call(
    'HSET', KEYS.destination, 'secret', ARGV.secret, 'secret_prefix', ARGV.shown_secret,
    'secret_previous', record[1], 'secret_previous_until', previous_until
  )
  return { 'rotated', previous_until }
end

redis.register_function('corrente_rotate_endpoint_secret', rotate_endpoint_secret)
