-- Records a complete sweep of an account's books.
-- ARGV.is_long: '1'/'0', whether it is the daily one
-- Reply {'applied'}
-- Refusals {'stale'}: another process has taken the lease since
local function complete_sweep(keys, args)
  if redis.call('HGET', KEYS.sweep, 'fence') ~= ARGV.fence then
    return { 'stale' }
  end
  redis.call('HSET', KEYS.sweep, 'began', ARGV.began, 'completed_to', ARGV.completed_to)
  if ARGV.is_long == '1' then
    redis.call('HSET', KEYS.sweep, 'long_began', ARGV.began)
  end
  return { 'applied' }
end

redis.register_function('corrente_complete_sweep', complete_sweep)
