-- Takes or renews several leases at once; each as hold_partition does (docs/decisions/0093-one-look-at-all-partitions.md).
-- Reply {1 if the process holds it now, else 0, for each}
local function hold_partitions(keys, args)
  local reply = {}
  for i = KEYS_FROM.owners, #keys do
    local owner = redis.call('GET', keys[i])
    if owner and owner ~= ARGV.process_id then
      reply[#reply + 1] = 0
    else
      redis.call('SET', keys[i], ARGV.process_id, 'PX', ARGV.lease_millis)
      reply[#reply + 1] = 1
    end
  end
  return reply
end

redis.register_function('corrente_hold_partitions', hold_partitions)
