-- Takes one token from a bucket that refills steadily (docs/contract/README.md#rate-limits). A full bucket needs no key.
-- ARGV.fill_millis: time in which an empty bucket fills
-- Reply {1 if taken, else 0, whole tokens left, ms until the next token, ms until the bucket is full}
local function take_token(keys, args)
  local now = now_millis()
  local capacity = tonumber(ARGV.capacity)
  local per_token = tonumber(ARGV.fill_millis) / capacity
  -- Stored as the time when the bucket is full again: one number is the whole state.
  local full_at = math.max(now, tonumber(redis.call('GET', KEYS.bucket) or '0'))
  local missing = (full_at - now) / per_token
  if missing + 1 > capacity + 0.000001 then
    return { 0, 0, math.ceil((missing + 1 - capacity) * per_token), math.ceil(full_at - now) }
  end
  full_at = full_at + per_token
  redis.call('SET', KEYS.bucket, string.format('%.3f', full_at), 'PX', math.ceil(full_at - now) + 1)
  return { 1, math.floor(capacity - missing - 1 + 0.000001), 0, math.ceil(full_at - now) }
end

redis.register_function('corrente_take_token', take_token)
