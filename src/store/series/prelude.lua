-- Shared by the functions that count what plots show (docs/decisions/0084-series.md), and that note by what charges are found
-- (docs/decisions/0085-search.md). The keys are named after others of the seller's mode. Counted last in a commit: one that a crash cut must not be counted and then be made again. A
-- broken count must not refuse a charge, hence pcall.

-- One table, since Lua allows a chunk 200 locals. The bins are those of actors/values/latencyBins.ts.
local series = { kept_millis = 400 * 86400000, times_kept_millis = 33 * 86400000, latency_bins = 56 }

-- 'events:{pNN}:<seller>:<mode>' and the like under another name.
function series.key_beside(name, key)
  return (string.gsub(key, '^[%a-]+', name, 1))
end

function series.hour_of(millis)
  return math.floor(millis / 3600000)
end

function series.hour_of_entry(entry)
  return series.hour_of(tonumber((string.match(entry, '^%d+'))))
end

-- Adds to a count of an hour; returns what redis.pcall does.
function series.count_in_hour(beside, hour, name, amount)
  local key = series.key_beside('series', beside) .. ':' .. integer(math.floor(hour / 24))
  local sum = redis.pcall('HINCRBY', key, integer(hour % 24) .. ':' .. name, amount)
  if sum == 1 then
    redis.call('PEXPIRE', key, integer(series.kept_millis))
  end
  return sum
end

-- Counts a new charge in the hour of its event. The first of an hour notes since when all is counted: data of earlier builds
-- is not.
function series.count_created(events, index, entry)
  if series.count_in_hour(events, series.hour_of_entry(entry), 'created', 1) == 1 then
    local since = redis.call('ZCARD', index) == 1 and '0-0' or entry
    redis.call('SET', series.key_beside('counted-since', events), since, 'NX')
  end
end

-- Counts a payment in the hour of its event. What came from outside is its gross amount.
function series.count_paid(events, entry, movement)
  local hour = series.hour_of_entry(entry)
  for i = movement.first, movement.first + movement.count * 2 - 1, 2 do
    if movement.arguments[i] == 'external' then
      series.count_in_hour(events, hour, 'amount', integer(-tonumber(movement.arguments[i + 1])))
    end
  end
  series.count_in_hour(events, hour, 'paid', 1)
end

-- Counts an attempt in the hour of its end, and its duration's bin ('' = none).
function series.count_delivery(beside, is_success, bin, now)
  local hour = series.hour_of(now)
  series.count_in_hour(beside, hour, is_success and 'succeeded' or 'failed', 1)
  if bin ~= '' then
    local times = series.key_beside('delivery-times', beside) .. ':' .. integer(math.floor(hour / 24))
    local place = '#' .. integer(hour % 24 * series.latency_bins + tonumber(bin))
    local counted = redis.pcall('BITFIELD', times, 'OVERFLOW', 'SAT', 'INCRBY', 'u32', place, 1)
    if counted[1] == 1 then
      redis.call('PEXPIRE', times, integer(series.times_kept_millis))
    end
  end
end

-- Counts an endpoint's attempt in its day, for each hour two outcomes and then the bins
-- (docs/decisions/0090-series-of-endpoints.md). The key is named after that of its record.
function series.count_of_endpoint(destination, is_success, bin, now)
  local hour = series.hour_of(now)
  local key = series.key_beside('endpoint-series', destination) .. ':' .. integer(math.floor(hour / 24))
  local first = hour % 24 * (2 + series.latency_bins)
  local add = { 'BITFIELD', key, 'OVERFLOW', 'SAT', 'INCRBY', 'u24', '#' .. integer(first + (is_success and 0 or 1)), 1 }
  if bin ~= '' then
    add[9], add[10], add[11], add[12] = 'INCRBY', 'u24', '#' .. integer(first + 2 + tonumber(bin)), 1
  end
  local counted = redis.pcall(unpack(add))
  if counted[1] == 1 then
    redis.call('PEXPIRE', key, integer(series.times_kept_millis))
  end
end

-- Deletes all days of an endpoint's series that may be left.
function series.end_of_endpoint(destination, now)
  local today = math.floor(series.hour_of(now) / 24)
  local days = {}
  for day = today - math.ceil(series.times_kept_millis / 86400000) - 1, today do
    days[#days + 1] = series.key_beside('endpoint-series', destination) .. ':' .. integer(day)
  end
  redis.call('DEL', unpack(days))
end

-- Notes that a charge is found by a digest ('' = by nothing).
function series.note_lookup(events, digest, id)
  if digest ~= '' then
    redis.call('ZADD', series.key_beside('lookup', events), 0, digest .. ' ' .. id)
  end
end
