-- Takes or renews a lease: that on a partition's timers and deliveries, or on audits. Advisory only: claims are fenced
-- (docs/decisions/0006-partition-leases.md).
-- Reply 1 if the process holds it now, else 0
local function hold_partition(keys, args)
  local owner = redis.call('GET', KEYS.owner)
  if owner and owner ~= ARGV.process_id then
    return 0
  end
  redis.call('SET', KEYS.owner, ARGV.process_id, 'PX', ARGV.lease_millis)
  return 1
end

redis.register_function('corrente_hold_partition', hold_partition)
