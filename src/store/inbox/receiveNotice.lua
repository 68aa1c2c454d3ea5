-- Records an acquirer's notice and sets the timer that processes it (docs/contract/notices.md#recording). A correctly signed
-- notice of a known event is not recorded: the first one is processed again now unless it already was. A notice with a bad
-- signature is only kept for inspection. If the inbox is full, the oldest processed notices are evicted, never open ones.
-- ARGV.is_signed: '1'/'0', whether the signature is valid
-- ARGV.oldest_id: ids below it leave the indexes
-- ARGV.unsigned_max: notices with a bad signature that are kept
-- ARGV_FROM.fields: names and values in turn
-- Reply {'received', id}  {'duplicate', id of the first, id of the notice that holds this very body ('' = none)}
-- Refusals {'full'}: open notices leave no room

-- Ids that one call removes from the indexes: more than it adds, so that cleanup keeps up.
local forgotten_max = 200
-- Each counts as at least a kilobyte, so evicting these makes room for the largest notice.
local evicted_max = 1000

-- Removes notices past retention from the indexes; correct on its own, whatever follows.
local function forget_old_notices(keys, args)
  for _, id in ipairs(redis.call('ZRANGEBYLEX', KEYS.index, '-', '(' .. ARGV.oldest_id, 'LIMIT', 0, forgotten_max)) do
    drop_inbox_bytes(KEYS.bytes, id, redis.call('ZSCORE', KEYS.unprocessed, id) and 'open' or 'done')
    for _, index in ipairs({ KEYS.index, KEYS.unprocessed, KEYS.unsigned, KEYS.done }) do
      redis.call('ZREM', index, id)
    end
  end
end

-- The processed notices to evict so that this one fits; nil if it does not fit.
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

-- The reply to another notice of the event that `first` reported.
local function duplicate_of(first, keys, args, now)
  local found = redis.call('HMGET', ARGV.notice_prefix .. first, 'processed_at', 'body_hash', 'body_of')
  if found[1] == '' then
    set_timers(KEYS.timers, ARGV.wake_channel, first, { ARGV.timer_name, now }, 1, 1)
  end
  local keeps = ''
  if found[2] == ARGV.body_hash then
    keeps = found[3] and found[3] ~= '' and found[3] or first
  end
  -- `first` may be evicted already, and so was processed: retention ends it together with KEYS.seen.
  return { 'duplicate', first, keeps }
end

local function receive_notice(keys, args)
  local id = ARGV.notice_id
  local now = integer(now_millis())
  local is_valid = ARGV.is_signed == '1'
  local first = is_valid and redis.call('GET', KEYS.seen)
  -- A retry after a lost reply comes under the same id.
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
