-- Retention of feeds and of attempts' indexes (docs/contract/events.md#retention).

-- Drops a feed's events older than `cutoff`, up to the limit and a stream node more. Returns how many, and whether there
-- may be others. Whole nodes go first: to drop part of one is slow.
local function trim_events(events_key, cutoff, limit)
  local oldest = redis.call('XRANGE', events_key, '-', '+', 'COUNT', 1)[1]
  if not oldest or tonumber(string.match(oldest[1], '^%d+')) >= cutoff then
    return 0, false
  end
  local dropped = redis.call('XTRIM', events_key, 'MINID', '~', integer(cutoff), 'LIMIT', limit)
  if dropped > 0 then
    return dropped, true
  end
  return redis.call('XTRIM', events_key, 'MINID', '=', integer(cutoff)), false
end

-- Endpoints of a mode, also those that were deleted within retention.
local function endpoints_of(tag, seller, mode)
  local ids = redis.call('ZRANGE', key_names.endpoints(tag, seller, mode), 0, -1)
  for _, id in ipairs(redis.call('ZRANGE', key_names.postbacks(tag, seller, mode), 0, -1)) do
    if string.sub(id, 1, 3) == 'we_' then
      ids[#ids + 1] = id
    end
  end
  return ids
end

-- Drops ids of attempts before `oldest` from all indexes of a seller's mode. Returns how many there were.
local function trim_attempts(tag, seller, mode, statuses, oldest)
  local before = '(' .. oldest
  local dropped = 0
  for _, status in ipairs(statuses) do
    local index = key_names.attempts_of_status(tag, seller, mode, status)
    dropped = dropped + redis.call('ZREMRANGEBYLEX', index, '-', before)
  end
  for _, id in ipairs(endpoints_of(tag, seller, mode)) do
    redis.call('ZREMRANGEBYLEX', key_names.attempts_of_endpoint(tag, seller, mode, id), '-', before)
  end
  return dropped
end

-- Drops what is past retention of a few sellers of a partition: events, ids of attempts, postbacks, of both modes.
--   change: retentionMillis, sellersMax, eventsMax
--     from: the id of the seller to go on with; absent = the first
--     oldestAttempt: the oldest id that the attempts' indexes keep
--     statuses: those of attempts
-- Reply {events, attempts, id of the seller to go on with ('' = none)}
function retention.trim_sellers(key, change)
  local cutoff = now_millis() - change.retentionMillis
  local tag = tag_of(key.sellers)
  local first = change.from and '[' .. change.from or '-'
  local ids = redis.call('ZRANGEBYLEX', key.sellers, first, '+', 'LIMIT', 0, change.sellersMax + 1)
  local events_dropped, attempts_dropped = 0, 0
  for _, mode in ipairs({ 'live', 'test' }) do
    redis.call('ZREMRANGEBYLEX', key_names.dead_attempts(tag, mode), '-', '(' .. change.oldestAttempt)
  end
  for i = 1, math.min(#ids, change.sellersMax) do
    local seller = ids[i]
    for _, mode in ipairs({ 'live', 'test' }) do
      local dropped, is_unfinished = trim_events(key_names.events(tag, seller, mode), cutoff, change.eventsMax)
      events_dropped = events_dropped + dropped
      if is_unfinished then
        return { events_dropped, attempts_dropped, seller }
      end
      attempts_dropped = attempts_dropped + trim_attempts(tag, seller, mode, change.statuses, change.oldestAttempt)
      redis.call('ZREMRANGEBYSCORE', key_names.postbacks(tag, seller, mode), '-inf', '(' .. integer(cutoff))
    end
  end
  return { events_dropped, attempts_dropped, ids[change.sellersMax + 1] or '' }
end
