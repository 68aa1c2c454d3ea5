-- Records a provider's notice with the timer that processes it, unless a rightly signed one told of the same event: then
-- that one is tried again now, where it is not done yet. A notice with a bad signature is only kept to be looked at.
-- Where the partition's inbox is full, the oldest that are done give way; those that are not never do.
-- KEYS  1 notice  2 index  3 index of those unprocessed  4 index of those with a bad signature  5 seen  6 timers
--       7 index of those done  8 bytes
-- ARGV  1 notice id  2 signature is valid ('1'/'0')  3 retention ms  4 id below which the indexes are too old
--       5 most notices with a bad signature  6 what stands before an id in a notice's key  7 wake channel  8 timer name
--       9 bytes that it takes  10 most bytes of the partition  11 hash of its body, then field-value strings
-- Reply {'received', id}  {'duplicate', id of the first, id of the notice that keeps this very body ('' = none)}
-- Refusals {'full'}: what is not processed yet leaves no room

-- Ids that one call takes out of the indexes: more than come in, so that none are left behind.
local forgotten_max = 200
-- Each counts with a kilobyte at least, so these make room for the largest.
local evicted_max = 1000

-- Takes those out of the indexes whose retention is over; whole in itself, whatever comes after.
local function forget_old_notices(keys, args)
  for _, id in ipairs(redis.call('ZRANGEBYLEX', keys[2], '-', '(' .. args[4], 'LIMIT', 0, forgotten_max)) do
    drop_inbox_bytes(keys[8], id, redis.call('ZSCORE', keys[3], id) and 'open' or 'done')
    for _, index in ipairs({ 2, 3, 4, 7 }) do
      redis.call('ZREM', keys[index], id)
    end
  end
end

-- Which notices that are done must go so that another fits; nil where it does not.
local function done_to_evict(keys, args)
  local sums = redis.call('HMGET', keys[8], 'open', 'done')
  local open, done = tonumber(sums[1] or '0'), tonumber(sums[2] or '0')
  local most = tonumber(args[10])
  local excess = open + done + tonumber(args[9]) - most
  if open + tonumber(args[9]) > most then
    return nil
  end
  local gone = {}
  if excess <= 0 then
    return gone
  end
  for _, id in ipairs(redis.call('ZRANGE', keys[7], 0, evicted_max - 1)) do
    if excess <= 0 then
      return gone
    end
    gone[#gone + 1] = id
    excess = excess - tonumber(redis.call('HGET', keys[8], id) or '0')
  end
  return excess <= 0 and gone or nil
end

local function drop_unsigned_excess(keys, args)
  local excess = redis.call('ZCARD', keys[4]) - tonumber(args[5])
  if excess <= 0 then
    return
  end
  for _, id in ipairs(redis.call('ZRANGE', keys[4], 0, excess - 1)) do
    redis.call('UNLINK', args[6] .. id)
    redis.call('ZREM', keys[2], id)
    redis.call('ZREM', keys[4], id)
  end
end

-- The answer to a notice of an event that `first` told of; nil where that one is no longer kept and was not done.
local function duplicate_of(first, keys, args, now)
  local found = redis.call('HMGET', args[6] .. first, 'processed_at', 'body_hash', 'body_of')
  if found[1] == '' then
    set_timers(keys[6], args[7], first, { args[8], now }, 1, 1)
  end
  local keeps = ''
  if found[2] == args[11] then
    keeps = found[3] and found[3] ~= '' and found[3] or first
  end
  -- What was seen and is not there gave way, so it was done: both end by the same retention otherwise.
  return { 'duplicate', first, keeps }
end

local function receive_notice(keys, args)
  local id = args[1]
  local now = integer(now_millis())
  local is_valid = args[2] == '1'
  local first = is_valid and redis.call('GET', keys[5])
  -- A reply that was lost is asked for again under the same id.
  if first == id or (not is_valid and redis.call('EXISTS', keys[1]) == 1) then
    return { 'received', id }
  end
  if first then
    return duplicate_of(first, keys, args, now)
  end
  check_pairs(args, 12)
  forget_old_notices(keys, args)
  local evicted = {}
  if is_valid then
    evicted = done_to_evict(keys, args)
    if not evicted then
      return { 'full' }
    end
  end

  for _, done_id in ipairs(evicted) do
    redis.call('UNLINK', args[6] .. done_id)
    redis.call('ZREM', keys[2], done_id)
    redis.call('ZREM', keys[7], done_id)
    drop_inbox_bytes(keys[8], done_id, 'done')
  end
  redis.call('HSET', keys[1], 'signature_valid', args[2], 'attempts', '0', 'processed_at', '', 'error', '',
    'reprocessed_at', '', 'body_hash', args[11], unpack(args, 12))
  redis.call('PEXPIRE', keys[1], args[3])
  redis.call('ZADD', keys[2], 0, id)
  if not is_valid then
    redis.call('ZADD', keys[4], 0, id)
    drop_unsigned_excess(keys, args)
    return { 'received', id }
  end
  redis.call('ZADD', keys[3], 0, id)
  redis.call('HSET', keys[8], id, args[9])
  redis.call('HINCRBY', keys[8], 'open', args[9])
  redis.call('SET', keys[5], id, 'PX', args[3])
  set_timers(keys[6], args[7], id, { args[8], now }, 1, 1)
  return { 'received', id }
end

redis.register_function('corrente_receive_notice', receive_notice)
