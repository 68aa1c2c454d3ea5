-- Token buckets (docs/contract/README.md#rate-limits).

-- Takes one token from a bucket that refills steadily. A full bucket needs no key.
--   change: capacity (tokens), fillMillis (in which an empty bucket fills)
-- Reply {1 if taken, else 0, whole tokens left, ms until the next token, ms until the bucket is full}
function rate_limits.take(key, change)
  local now = now_millis()
  local per_token = change.fillMillis / change.capacity
  -- Stored as the time when the bucket is full again: one number is the whole state.
  local full_at = math.max(now, tonumber(redis.call('GET', key.bucket) or '0'))
  local missing = (full_at - now) / per_token
  if missing + 1 > change.capacity + 0.000001 then
    return { 0, 0, math.ceil((missing + 1 - change.capacity) * per_token), math.ceil(full_at - now) }
  end
  full_at = full_at + per_token
  redis.call('SET', key.bucket, string.format('%.3f', full_at), 'PX', math.ceil(full_at - now) + 1)
  return { 1, math.floor(change.capacity - missing - 1 + 0.000001), 0, math.ceil(full_at - now) }
end
