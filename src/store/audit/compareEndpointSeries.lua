-- Compares an endpoint's series with the statistics that builds before docs/decisions/0100-attempts-are-counted-in-series.md kept
-- for a week, and sets it to them if asked to, where it has less: all that they counted is in it since it counts.
-- ARGV.stats_hours: how many hours the statistics have; ARGV.repairs: '1' = the series is set, and hours before its first one too
-- Reply {hour, succeeded and failed by the statistics, the same by the series, and so on}
local function hours_of_day(key, place_count)
  local read = { 'BITFIELD_RO', key }
  for hour = 0, 23 do
    for outcome = 0, 1 do
      read[#read + 1] = 'GET'
      read[#read + 1] = 'u24'
      read[#read + 1] = '#' .. integer(hour * place_count + outcome)
    end
  end
  return redis.call(unpack(read))
end

local function compare_endpoint_series(keys, args)
  local place_count = 2 + series.latency_bins
  local now_hour = series.hour_of(now_millis())
  local stats = {}
  local fields = redis.call('HGETALL', KEYS.endpoint_stats)
  for i = 1, #fields, 2 do
    stats[fields[i]] = tonumber(fields[i + 1]) or 0
  end
  local reply = {}
  local is_counted = false
  local day, hours
  for hour = now_hour - tonumber(ARGV.stats_hours) + 1, now_hour do
    local key = KEYS.series_prefix .. integer(math.floor(hour / 24))
    if day ~= key then
      day, hours = key, hours_of_day(key, place_count)
    end
    local at = hour % 24 * 2
    local found_good, found_bad = hours[at + 1], hours[at + 2]
    local good = stats[integer(hour) .. ':ok'] or 0
    local bad = (stats[integer(hour)] or 0) - good
    local is_first = not is_counted and found_good + found_bad > 0
    local is_less = found_good < good or found_bad < bad
    good, bad = math.max(good, found_good), math.max(bad, found_bad)
    -- Of its first hour a part may not be counted.
    local is_wrong = is_less and (is_counted or ARGV.repairs == '1')
    is_counted = is_counted or is_first
    if is_wrong then
      for _, value in ipairs({ hour, good, bad, found_good, found_bad }) do
        reply[#reply + 1] = integer(value)
      end
      if ARGV.repairs == '1' then
        local first = hour % 24 * place_count
        redis.call(
          'BITFIELD', key, 'OVERFLOW', 'SAT', 'SET', 'u24', '#' .. integer(first), integer(good),
          'SET', 'u24', '#' .. integer(first + 1), integer(bad)
        )
        redis.call('PEXPIRE', key, integer(series.times_kept_millis))
      end
    end
  end
  return reply
end

redis.register_function('corrente_compare_endpoint_series', compare_endpoint_series)
