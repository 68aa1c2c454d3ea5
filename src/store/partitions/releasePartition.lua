-- Gives up a lease: that on a partition, or on audits.
-- Reply 1 if the process held it, else 0
local function release_partition(keys, args)
  if redis.call('GET', KEYS.owner) ~= ARGV.process_id then
    return 0
  end
  redis.call('DEL', KEYS.owner)
  return 1
end

redis.register_function('corrente_release_partition', release_partition)
