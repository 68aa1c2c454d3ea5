-- Sets counts of a seller's and mode's series, and notes that they lack nothing.
-- KEYS.series_prefix: the name of a day's counts without the day
-- ARGV.last: the feed's newest entry when the counts were added up
-- ARGV_FROM.counts: of each a day, the field and the value
-- Reply {'repaired'}
-- Refusals {'stale'}: the feed has grown since
local function repair_series(keys, args)
  if redis.call('HGET', KEYS.feed, 'last') ~= ARGV.last then
    return { 'stale' }
  end
  for i = ARGV_FROM.counts, #args, 3 do
    local key = KEYS.series_prefix .. args[i]
    redis.call('HSET', key, args[i + 1], args[i + 2])
    redis.call('PEXPIRE', key, integer(series.kept_millis))
  end
  redis.call('SET', KEYS.since, '0-0')
  return { 'repaired' }
end

redis.register_function('corrente_repair_series', repair_series)
