-- Drops what is past retention of a few sellers of a partition: events, ids of attempts, postbacks, of both modes.
-- ARGV.from: a seller's id ('' = the first), with whom it goes on
-- ARGV.oldest_attempt: the oldest id that the attempts' indexes keep
-- ARGV_FROM.statuses: of attempts
-- Reply {events, attempts, id of the seller to go on with ('' = none)}

-- Drops a feed's events older than `cutoff`, up to the limit and a stream node more. Returns how many, and whether there
-- may be others. Whole nodes go first: to drop part of one is slow.
local function trim_events(events, cutoff, limit)
  local oldest = redis.call('XRANGE', events, '-', '+', 'COUNT', 1)[1]
  if not oldest or tonumber(string.match(oldest[1], '^%d+')) >= cutoff then
    return 0, false
  end
  local dropped = redis.call('XTRIM', events, 'MINID', '~', integer(cutoff), 'LIMIT', limit)
  if dropped > 0 then
    return dropped, true
  end
  return redis.call('XTRIM', events, 'MINID', '=', integer(cutoff)), false
end

-- Endpoints of a mode, also those that were deleted within retention.
local function endpoints_of(args, name)
  local ids = redis.call('ZRANGE', ARGV.endpoints_prefix .. name, 0, -1)
  for _, id in ipairs(redis.call('ZRANGE', ARGV.postbacks_prefix .. name, 0, -1)) do
    if string.sub(id, 1, 3) == 'we_' then
      ids[#ids + 1] = id
    end
  end
  return ids
end

local function trim_attempts(args, name)
  local index = ARGV.attempts_prefix .. name
  local dropped = redis.call('ZREMRANGEBYLEX', index, '-', '(' .. ARGV.oldest_attempt)
  for i = ARGV_FROM.statuses, #args do
    redis.call('ZREMRANGEBYLEX', index .. ':status:' .. args[i], '-', '(' .. ARGV.oldest_attempt)
  end
  for _, id in ipairs(endpoints_of(args, name)) do
    redis.call('ZREMRANGEBYLEX', index .. ':endpoint:' .. id, '-', '(' .. ARGV.oldest_attempt)
  end
  return dropped
end

local function trim_sellers(keys, args)
  local cutoff = now_millis() - tonumber(ARGV.retention_millis)
  local first = ARGV.from == '' and '-' or '[' .. ARGV.from
  local sellers_max = tonumber(ARGV.sellers_max)
  local ids = redis.call('ZRANGEBYLEX', KEYS.sellers, first, '+', 'LIMIT', 0, sellers_max + 1)
  local events, attempts = 0, 0
  for _, mode in ipairs({ 'live', 'test' }) do
    local dead = series.key_beside('dead-attempts', KEYS.sellers) .. ':' .. mode
    redis.call('ZREMRANGEBYLEX', dead, '-', '(' .. ARGV.oldest_attempt)
  end
  for i = 1, math.min(#ids, sellers_max) do
    for _, mode in ipairs({ 'live', 'test' }) do
      local name = ids[i] .. ':' .. mode
      local dropped, is_unfinished = trim_events(ARGV.events_prefix .. name, cutoff, ARGV.events_max)
      events = events + dropped
      if is_unfinished then
        return { events, attempts, ids[i] }
      end
      attempts = attempts + trim_attempts(args, name)
      redis.call('ZREMRANGEBYSCORE', ARGV.postbacks_prefix .. name, '-inf', '(' .. integer(cutoff))
    end
  end
  return { events, attempts, ids[sellers_max + 1] or '' }
end

redis.register_function('corrente_trim_sellers', trim_sellers)
