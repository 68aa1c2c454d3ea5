-- Writes one attempt and what follows from it: the next attempt's time, the end of the delivery, an endpoint's disabling.
-- KEYS  1 queue  2 due  3 delivery  4 attempt  5 destination
--       6 attempts  7 attempts of the event  8 attempts of the status  9 attempts of the endpoint
--       10 stats of the endpoint, then where the attempt may disable the destination
--       11 events  12 feed  13 subscriptions of the mode
-- ARGV  1 destination id  2 entry id  3 fence  4 delivery id  5 attempt  6 status  7 row  8 detail
--       9 retry in ms (-1 = the delivery has ended)  10 retention ms  11 oldest id kept in the indexes
--       12 seller id  13 mode  14 target  15 '1' = a ping, '2' = its event is gone  16 how many hours of stats are kept, then where the attempt
--       may disable the destination
--       17 type of the disabling event  18 its data  19 now as ISO text  20 queue prefix  21 wake channel
--       22 hint channel  23 dead streak that disables  24 window without success ms
-- Reply {'recorded'} or {'disabled_endpoint'}
-- Refusals {'stale'}: the lease was lost; nothing is written

-- Ids end at random, two of their 32 characters in 16: so often, what is past retention leaves the indexes. Its rows
-- have expired by themselves, so nobody sees the difference, and to trim each time would be three calls more than sixteen.
local function trims(id)
  return string.byte(id, -1) % 16 == 0
end

local function index_attempt(keys, args)
  local is_trimming = trims(args[4])
  for i = 6, (args[14] == 'endpoint') and 9 or 8 do
    redis.call('ZADD', keys[i], 0, args[4])
    if i == 7 then
      redis.call('PEXPIRE', keys[i], args[10])
    elseif is_trimming then
      redis.call('ZREMRANGEBYLEX', keys[i], '-', '(' .. args[11])
    end
  end
end

-- Counts the dead in a row; true when this one disables the endpoint (spec 3). One delivery counts once: an attempt
-- made by hand that fails again is not another dead delivery.
local function counts_as_last_straw(keys, args, is_manual, now)
  if args[14] ~= 'endpoint' then
    return false
  end
  if args[6] == 'success' then
    redis.call('HSET', keys[5], 'dead_streak', 0, 'last_success_at', integer(now))
    return false
  end
  if args[6] ~= 'dead' or is_manual then
    return false
  end
  local streak = redis.call('HINCRBY', keys[5], 'dead_streak', 1)
  if not args[17] then
    return false
  end
  local record = redis.call('HMGET', keys[5], 'enabled', 'last_success_at')
  local since_success = now - (tonumber(record[2] or '') or 0)
  return streak >= tonumber(args[23]) and record[1] == '1' and since_success > tonumber(args[24])
end

-- A ping says how the endpoint is; it counts for nothing else (spec 3, 4.3).
local function record_ping(keys, args, now)
  redis.call(
    'HSET', keys[5], 'last_ping_at', integer(now), 'last_ping_ok', args[6] == 'success' and '1' or '0'
  )
end

-- Counts the attempt in its hour; with a new hour, those that are over go.
local function count_attempt(keys, args, now)
  local hour = math.floor(now / 3600000)
  if redis.call('HINCRBY', keys[10], integer(hour), 1) == 1 then
    local fields = redis.call('HKEYS', keys[10])
    for i = 1, #fields do
      if (tonumber((string.match(fields[i], '^%d+'))) or 0) <= hour - tonumber(args[16]) then
        redis.call('HDEL', keys[10], fields[i])
      end
    end
    redis.call('PEXPIRE', keys[10], (tonumber(args[16]) + 1) * 3600000)
  end
  if args[6] == 'success' then
    redis.call('HINCRBY', keys[10], integer(hour) .. ':ok', 1)
  end
end

local function disable_endpoint(keys, args, now)
  redis.call(
    'HSET', keys[5], 'enabled', '0', 'disabled_reason', 'auto', 'auto_disabled_at', args[19], 'dead_streak', 0
  )
  redis.call('HDEL', keys[13], args[1])
  local outbox = { due = keys[2], wake = args[21], queue_prefix = args[20] }
  local event = { type = args[17], resource = args[12], internal = '0', data = args[18] }
  local feed = { events = keys[11], feed = keys[12], subscriptions = keys[13], hint = args[22] }
  append_event(feed, event, outbox, tonumber(args[10]), now)
end

local function record_attempt(keys, args)
  local now = now_millis()
  local delivery = redis.call('HMGET', keys[3], 'fence', 'state', 'manual', 'promised_id')
  if delivery[1] ~= args[3] or delivery[2] ~= 'leased' then
    return { 'stale' }
  end

  redis.call(
    'HSET', keys[4], 'seller', args[12], 'mode', args[13], 'destination', args[1], 'entry', args[2],
    'row', args[7], 'detail', args[8]
  )
  redis.call('PEXPIRE', keys[4], args[10])
  index_attempt(keys, args)

  local retry_in = tonumber(args[9])
  local state = args[6]
  if retry_in >= 0 then
    state = 'scheduled'
    local due_at = integer(now + retry_in)
    redis.call('ZADD', keys[1], due_at, args[2])
    redis.call('ZADD', keys[2], 'LT', due_at, args[1])
  else
    redis.call('ZREM', keys[1], args[2])
    if redis.call('EXISTS', keys[1]) == 0 then
      redis.call('ZREM', keys[2], args[1])
    end
  end
  if delivery[3] or delivery[4] then
    redis.call('HDEL', keys[3], 'promised_id', 'manual')
  end
  redis.call('HSET', keys[3], 'state', state, 'attempts', args[5])

  -- That its event is gone says nothing of the receiver.
  if args[15] == '2' then
    return { 'recorded' }
  end
  if args[14] == 'endpoint' and redis.call('HEXISTS', keys[5], 'deleted_by') == 0 then
    if args[15] == '1' then
      record_ping(keys, args, now)
      return { 'recorded' }
    end
    count_attempt(keys, args, now)
  end
  if counts_as_last_straw(keys, args, delivery[3] == '1', now) then
    disable_endpoint(keys, args, now)
    return { 'disabled_endpoint' }
  end
  return { 'recorded' }
end

redis.register_function('corrente_record_attempt', record_attempt)
