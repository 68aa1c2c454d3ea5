-- Takes or renews the lease on an account's sweeps.
-- Reply {'claimed', fence}: the same fence where it is renewed, one higher where it is taken
--   {'held'}: by another process
local function claim_sweep(keys, args)
  local now = now_millis()
  local found = redis.call('HMGET', KEYS.sweep, 'holder', 'lease_until', 'fence')
  local is_held = tonumber(found[2] or '0') > now
  if is_held and found[1] ~= ARGV.holder then
    return { 'held' }
  end
  local fence = tonumber(found[3] or '0') + (is_held and 0 or 1)
  redis.call(
    'HSET', KEYS.sweep, 'holder', ARGV.holder, 'lease_until', integer(now + tonumber(ARGV.lease_millis)),
    'fence', integer(fence)
  )
  redis.call('SADD', KEYS.accounts, ARGV.account)
  return { 'claimed', integer(fence) }
end

redis.register_function('corrente_claim_sweep', claim_sweep)
