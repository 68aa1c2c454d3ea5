-- When an endpoint was disabled, in its record (docs/contract/endpoints.md#missed-events): `disabled_after` is the newest entry
-- of the feed when it was disabled, and `outages` has the periods that have ended, oldest first, as `<after> <up to>` separated
-- by commas. Entries, not times: they are exact, and a period without events needs no record.

-- As `endpointOutagesMax` of schema/dueWorkLimits.ts. The two oldest periods become one where there would be more.
local outages_max = 100

-- The newest entry of a feed.
local function newest_entry(feed)
  return redis.call('HGET', feed, 'last') or '0-0'
end

local function begin_outage(destination, feed)
  redis.call('HSET', destination, 'disabled_after', newest_entry(feed))
end

local function end_outage(destination, feed)
  local record = redis.call('HMGET', destination, 'disabled_after', 'outages')
  redis.call('HDEL', destination, 'disabled_after')
  local after, up_to = record[1], newest_entry(feed)
  if after == up_to then
    return
  end
  local outages = {}
  for outage in string.gmatch(record[2] or '', '[^,]+') do
    outages[#outages + 1] = outage
  end
  outages[#outages + 1] = after .. ' ' .. up_to
  if #outages > outages_max then
    local first = table.remove(outages, 1)
    outages[1] = string.match(first, '^%S*') .. ' ' .. string.match(outages[1], '%S+$')
  end
  redis.call('HSET', destination, 'outages', table.concat(outages, ','))
end
