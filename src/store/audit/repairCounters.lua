-- Sets the counters of a balance to what its ledger adds up to, unless the ledger has grown since or its buckets differ:
-- money is never changed here.
-- ARGV.newest_entry: the newest entry that was added up ('' = none)
-- ARGV.counters_count: of the pairs that follow, how many are counters; the others are buckets
-- ARGV_FROM.fields: pairs (name, value)
-- Reply {'repaired', then of each counter that changed its name and what it was}
-- Refusals {'stale'}: the ledger has grown  {'money'}: a bucket differs
local function repair_counters(keys, args)
  local newest = redis.call('XREVRANGE', KEYS.ledger, '+', '-', 'COUNT', 1)[1]
  if (newest and newest[1] or '') ~= ARGV.newest_entry then
    return { 'stale' }
  end
  local buckets_from = ARGV_FROM.fields + 2 * tonumber(ARGV.counters_count)
  for i = buckets_from, #args, 2 do
    if (redis.call('HGET', KEYS.balance, args[i]) or '0') ~= args[i + 1] then
      return { 'money' }
    end
  end
  local repaired = { 'repaired' }
  for i = ARGV_FROM.fields, buckets_from - 1, 2 do
    local found = redis.call('HGET', KEYS.balance, args[i]) or '0'
    if found ~= args[i + 1] then
      redis.call('HSET', KEYS.balance, args[i], args[i + 1])
      repaired[#repaired + 1] = args[i]
      repaired[#repaired + 1] = found
    end
  end
  return repaired
end

redis.register_function('corrente_repair_counters', repair_counters)
