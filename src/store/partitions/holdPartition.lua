-- Takes or keeps the right to run a partition's timers and deliveries; a lease, and only advice: claims are fenced.
-- KEYS  1 owner
-- ARGV  1 process id  2 lease ms
-- Reply 1 when the process holds it now, else 0
local function hold_partition(keys, args)
  local owner = redis.call('GET', keys[1])
  if owner and owner ~= args[1] then
    return 0
  end
  redis.call('SET', keys[1], args[1], 'PX', args[2])
  return 1
end

-- Gives it up.
-- KEYS  1 owner
-- ARGV  1 process id
-- Reply 1 when it was held
local function release_partition(keys, args)
  if redis.call('GET', keys[1]) ~= args[1] then
    return 0
  end
  redis.call('DEL', keys[1])
  return 1
end

redis.register_function('corrente_hold_partition', hold_partition)
redis.register_function('corrente_release_partition', release_partition)
