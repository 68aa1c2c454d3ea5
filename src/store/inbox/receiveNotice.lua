-- Records a provider's notice with the timer that processes it, unless a rightly signed one told of the same event: then
-- that one is tried again now, where it is not done yet. A notice with a bad signature is only kept to be looked at.
-- Where the partition's inbox is full, the oldest that are done give way; those that are not never do.
-- KEYS.unsigned: index of those with a bad signature
-- ARGV.is_signed: signature is valid ('1'/'0')
-- ARGV.oldest_id: id below which the indexes are too old
-- ARGV.unsigned_max: most notices with a bad signature
-- ARGV.notice_prefix: what stands before an id in a notice's key
-- ARGV.body_hash: hash of its body
-- ARGV_FROM.fields: field-value strings
-- Reply {'received', id}  {'duplicate', id of the first, id of the notice that keeps this very body ('' = none)}
-- Refusals {'full'}: what is not processed yet leaves no room

-- Ids that one call takes out of the indexes: more than come in, so that none are left behind.
local forgotten_max = 200
-- Each counts with a kilobyte at least, so these make room for the largest.
local evicted_max = 1000

-- Takes those out of the indexes whose retention is over; whole in itself, whatever comes after.
local function forget_old_notices(keys, args)
  for _, id in ipairs(redis.call('ZRANGEBYLEX', KEYS.index, '-', '(' .. ARGV.oldest_id, 'LIMIT', 0, forgotten_max)) do
    drop_inbox_bytes(KEYS.bytes, id, redis.call('ZSCORE', KEYS.unprocessed, id) and 'open' or 'done')
    for _, index in ipairs({ KEYS.index, KEYS.unprocessed, KEYS.unsigned, KEYS.done }) do
      redis.call('ZREM', index, id)
    end
  end
end

-- Which notices that are done must go so that another fits; nil where it does not.
local function done_to_evict(keys, args)
  local sums = redis.call('HMGET', KEYS.bytes, 'open', 'done')
  local open, done = tonumber(sums[1] or '0'), tonumber(sums[2] or '0')
  local most = tonumber(ARGV.bytes_max)
  local excess = open + done + tonumber(ARGV.notice_bytes) - most
  if open + tonumber(ARGV.notice_bytes) > most then
    return nil
  end
  local gone = {}
  if excess <= 0 then
    return gone
  end
  for _, id in ipairs(redis.call('ZRANGE', KEYS.done, 0, evicted_max - 1)) do
    if excess <= 0 then
      return gone
    end
    gone[#gone + 1] = id
    excess = excess - tonumber(redis.call('HGET', KEYS.bytes, id) or '0')
  end
  return excess <= 0 and gone or nil
end

local function drop_unsigned_excess(keys, args)
  local excess = redis.call('ZCARD', KEYS.unsigned) - tonumber(ARGV.unsigned_max)
  if excess <= 0 then
    return
  end
  for _, id in ipairs(redis.call('ZRANGE', KEYS.unsigned, 0, excess - 1)) do
    redis.call('UNLINK', ARGV.notice_prefix .. id)
    redis.call('ZREM', KEYS.index, id)
    redis.call('ZREM', KEYS.unsigned, id)
  end
end

-- The answer to a notice of an event that `first` told of; nil where that one is no longer kept and was not done.
local function duplicate_of(first, keys, args, now)
  local found = redis.call('HMGET', ARGV.notice_prefix .. first, 'processed_at', 'body_hash', 'body_of')
  if found[1] == '' then
    set_timers(KEYS.timers, ARGV.wake_channel, first, { ARGV.timer_name, now }, 1, 1)
  end
  local keeps = ''
  if found[2] == ARGV.body_hash then
    keeps = found[3] and found[3] ~= '' and found[3] or first
  end
  -- What was seen and is not there gave way, so it was done: both end by the same retention otherwise.
  return { 'duplicate', first, keeps }
end

local function receive_notice(keys, args)
  local id = ARGV.notice_id
  local now = integer(now_millis())
  local is_valid = ARGV.is_signed == '1'
  local first = is_valid and redis.call('GET', KEYS.seen)
  -- A reply that was lost is asked for again under the same id.
  if first == id or (not is_valid and redis.call('EXISTS', KEYS.notice) == 1) then
    return { 'received', id }
  end
  if first then
    return duplicate_of(first, keys, args, now)
  end
  check_pairs(args, ARGV_FROM.fields)
  forget_old_notices(keys, args)
  local evicted = {}
  if is_valid then
    evicted = done_to_evict(keys, args)
    if not evicted then
      return { 'full' }
    end
  end

  for _, done_id in ipairs(evicted) do
    redis.call('UNLINK', ARGV.notice_prefix .. done_id)
    redis.call('ZREM', KEYS.index, done_id)
    redis.call('ZREM', KEYS.done, done_id)
    drop_inbox_bytes(KEYS.bytes, done_id, 'done')
  end
  redis.call('HSET', KEYS.notice, 'signature_valid', ARGV.is_signed, 'attempts', '0', 'processed_at', '', 'error', '',
    'reprocessed_at', '', 'body_hash', ARGV.body_hash, unpack(args, ARGV_FROM.fields))
  redis.call('PEXPIRE', KEYS.notice, ARGV.retention_millis)
  redis.call('ZADD', KEYS.index, 0, id)
  if not is_valid then
    redis.call('ZADD', KEYS.unsigned, 0, id)
    drop_unsigned_excess(keys, args)
    return { 'received', id }
  end
  redis.call('ZADD', KEYS.unprocessed, 0, id)
  redis.call('HSET', KEYS.bytes, id, ARGV.notice_bytes)
  redis.call('HINCRBY', KEYS.bytes, 'open', ARGV.notice_bytes)
  redis.call('SET', KEYS.seen, id, 'PX', ARGV.retention_millis)
  set_timers(KEYS.timers, ARGV.wake_channel, id, { ARGV.timer_name, now }, 1, 1)
  return { 'received', id }
end

redis.register_function('corrente_receive_notice', receive_notice)
