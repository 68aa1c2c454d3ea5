-- Locks a seller's withdrawals after a recovery of 2FA; a later lock of that kind stays.
-- KEYS  1 seller
-- ARGV  1 until, in ms
-- Reply {'locked'}
-- Refusals {'no_seller'}
local function lock_after_recovery(keys, args)
  if redis.call('EXISTS', keys[1]) == 0 then
    return { 'no_seller' }
  end
  local record = redis.call('HMGET', keys[1], 'recovery_locked_until', 'version')
  if (tonumber(record[1] or '') or 0) < tonumber(args[1]) then
    local version = integer((tonumber(record[2] or '') or 0) + 1)
    redis.call('HSET', keys[1], 'recovery_locked_until', args[1], 'version', version)
  end
  return { 'locked' }
end

redis.register_function('corrente_lock_after_recovery', lock_after_recovery)
