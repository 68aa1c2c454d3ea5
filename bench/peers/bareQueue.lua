#!lua name=bare_queue
-- The minimum of a delivery queue: one sorted set of owed deliveries by due time, a function that claims and one that
-- records. No caps, no fences, no indexes.

local function now_millis()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

local function integer(number)
  return string.format('%.0f', number)
end

-- Stores an event and owes it to endpoints.
-- KEYS  1 queue  2 event
-- ARGV  1 event id  2 type  3 body  4 retention ms  5 wake channel, then endpoints
local function enqueue(keys, args)
  local due = integer(now_millis())
  redis.call('HSET', keys[2], 'type', args[2], 'body', args[3])
  redis.call('PEXPIRE', keys[2], args[4])
  for i = 6, #args do
    redis.call('ZADD', keys[1], due, args[1] .. ':' .. args[i])
  end
  redis.call('PUBLISH', args[5], due)
end

-- Leases due deliveries.
-- KEYS  1 queue  2 attempts made
-- ARGV  1 most deliveries  2 lease ms  3 event prefix
-- Reply {ms until the next one is due (-1 = none), then for each: member, attempt, type, body}
local function claim(keys, args)
  local now = now_millis()
  local members = redis.call('ZRANGEBYSCORE', keys[1], '-inf', integer(now), 'LIMIT', 0, args[1])
  local lease_end = integer(now + tonumber(args[2]))
  local reply = { -1 }
  for i = 1, #members do
    local member = members[i]
    local event = redis.call('HMGET', args[3] .. string.match(member, '^[^:]+'), 'type', 'body')
    redis.call('ZADD', keys[1], lease_end, member)
    reply[#reply + 1] = member
    reply[#reply + 1] = redis.call('HINCRBY', keys[2], member, 1)
    reply[#reply + 1] = event[1]
    reply[#reply + 1] = event[2]
  end
  local soonest = redis.call('ZRANGE', keys[1], 0, 0, 'WITHSCORES')
  if soonest[2] then
    reply[1] = math.max(0, tonumber(soonest[2]) - now)
  end
  return reply
end

-- Records an attempt and schedules the next one.
-- KEYS  1 queue  2 attempts made  3 attempt
-- ARGV  1 member  2 row  3 detail  4 retry in ms (-1 = the delivery has ended)  5 retention ms
local function record(keys, args)
  redis.call('HSET', keys[3], 'row', args[2], 'detail', args[3])
  redis.call('PEXPIRE', keys[3], args[5])
  if args[4] == '-1' then
    redis.call('ZREM', keys[1], args[1])
    redis.call('HDEL', keys[2], args[1])
  else
    redis.call('ZADD', keys[1], integer(now_millis() + tonumber(args[4])), args[1])
  end
end

redis.register_function('bare_enqueue', enqueue)
redis.register_function('bare_claim', claim)
redis.register_function('bare_record', record)
