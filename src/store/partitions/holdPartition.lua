-- Takes or keeps the right to run a partition's timers and deliveries; a lease, and only advice: claims are fenced.
-- Reply 1 when the process holds it now, else 0
local function hold_partition(keys, args)
  local owner = redis.call('GET', KEYS.owner)
  if owner and owner ~= ARGV.process_id then
    return 0
  end
  redis.call('SET', KEYS.owner, ARGV.process_id, 'PX', ARGV.lease_millis)
  return 1
end

redis.register_function('corrente_hold_partition', hold_partition)
