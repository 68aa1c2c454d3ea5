-- Acquirers' notices (docs/contract/notices.md#recording). The bytes that a partition's notices take up (#capacity) are a hash:
-- the bytes of each notice by id, and two sums: `open`, not processed yet, and `done`, processed.

-- Ids that one call removes from the indexes: more than it adds, so that cleanup keeps up.
local forgotten_max = 200
-- Each counts as at least a kilobyte, so evicting these makes room for the largest notice.
local evicted_max = 1000

local function notice_key(index, id)
  return key_names.notice(tag_of(index), id)
end

-- Moves a notice's bytes to the other sum. A notice past retention has none.
local function move_bytes(bytes, id, from, to)
  local size = redis.call('HGET', bytes, id)
  if size then
    redis.call('HINCRBY', bytes, from, '-' .. size)
    redis.call('HINCRBY', bytes, to, size)
  end
end

-- Subtracts the bytes of a deleted notice from a sum.
local function drop_bytes(bytes, id, sum)
  local size = redis.call('HGET', bytes, id)
  if size then
    redis.call('HINCRBY', bytes, sum, '-' .. size)
    redis.call('HDEL', bytes, id)
  end
end

-- Marks a notice as processed. It may be evicted from now on if its bytes are known.
local function close(key, id)
  if redis.call('ZREM', key.unprocessed, id) == 1 then
    move_bytes(key.bytes, id, 'open', 'done')
  end
  if redis.call('HEXISTS', key.bytes, id) == 1 then
    redis.call('ZADD', key.done, '0', id)
  end
end

-- Marks a notice as open, perhaps again.
local function reopen(key, id)
  if redis.call('ZADD', key.unprocessed, '0', id) == 1 then
    move_bytes(key.bytes, id, 'done', 'open')
  end
  redis.call('ZREM', key.done, id)
end

-- Removes notices past retention from the indexes; correct on its own, whatever follows.
local function forget_old(key, oldest_id)
  for _, id in ipairs(redis.call('ZRANGEBYLEX', key.index, '-', '(' .. oldest_id, 'LIMIT', 0, forgotten_max)) do
    drop_bytes(key.bytes, id, redis.call('ZSCORE', key.unprocessed, id) and 'open' or 'done')
    for _, index in ipairs({ key.index, key.unprocessed, key.unsigned, key.done }) do
      redis.call('ZREM', index, id)
    end
  end
end

-- The processed notices to evict so that one of this size fits; nil if it does not fit.
local function done_to_evict(key, size, bytes_max)
  local sums = redis.call('HMGET', key.bytes, 'open', 'done')
  local open, done = tonumber(sums[1] or '0'), tonumber(sums[2] or '0')
  local excess = open + done + size - bytes_max
  if open + size > bytes_max then
    return nil
  end
  local gone = {}
  if excess <= 0 then
    return gone
  end
  for _, id in ipairs(redis.call('ZRANGE', key.done, 0, evicted_max - 1)) do
    if excess <= 0 then
      return gone
    end
    gone[#gone + 1] = id
    excess = excess - tonumber(redis.call('HGET', key.bytes, id) or '0')
  end
  return excess <= 0 and gone or nil
end

local function evict(key, ids)
  for _, id in ipairs(ids) do
    redis.call('UNLINK', notice_key(key.index, id))
    redis.call('ZREM', key.index, id)
    redis.call('ZREM', key.done, id)
    drop_bytes(key.bytes, id, 'done')
  end
end

local function drop_unsigned_excess(key, unsigned_max)
  local excess = redis.call('ZCARD', key.unsigned) - unsigned_max
  if excess <= 0 then
    return
  end
  for _, id in ipairs(redis.call('ZRANGE', key.unsigned, 0, excess - 1)) do
    redis.call('UNLINK', notice_key(key.index, id))
    redis.call('ZREM', key.index, id)
    redis.call('ZREM', key.unsigned, id)
  end
end

-- The reply to another notice of the event that `first` reported.
local function duplicate_of(first, key, change, now)
  local found = redis.call('HMGET', notice_key(key.index, first), 'processed_at', 'body_hash', 'body_of')
  if found[1] == '' then
    timers.set(key.timers, first, { { name = change.timer, dueMillis = now } })
  end
  local keeps = ''
  if found[2] == change.fields.body_hash then
    keeps = found[3] or first
  end
  -- `first` may be evicted already, and so was processed: retention ends it together with `key.seen`.
  return { 'duplicate', first, keeps }
end

-- Records a notice and sets the timer that processes it. A correctly signed notice of a known event is not recorded: the first
-- one is processed again now unless it already was. A notice with a bad signature is only kept for inspection. If the inbox is
-- full, the oldest processed notices are evicted, never open ones.
--   change: id, isSigned (correctly), fields (without `body_of`, body and headers are its own), timer (its name), retentionMillis,
--     oldestId (ids below it leave the indexes), unsignedMax (notices with a bad signature that are kept), size, bytesMax
-- Reply {'received', id}  {'duplicate', id of the first, id of the notice that holds this very body ('' = none)}
-- Refusals {'full'}: open notices leave no room
function inbox.receive(key, change, body, headers)
  local id, now = change.id, now_millis()
  local first = change.isSigned and redis.call('GET', key.seen)
  -- A retry after a lost reply comes under the same id.
  if first == id or (not change.isSigned and redis.call('EXISTS', key.notice) == 1) then
    return { 'received', id }
  end
  if first then
    return duplicate_of(first, key, change, now)
  end
  forget_old(key, change.oldestId)
  if change.isSigned then
    local evicted = done_to_evict(key, change.size, change.bytesMax)
    if not evicted then
      return { 'full' }
    end
    evict(key, evicted)
  end
  if not change.fields.body_of then
    change.fields.body, change.fields.headers = body, headers
  end
  set_fields(key.notice, change.fields)
  redis.call('PEXPIRE', key.notice, change.retentionMillis)
  redis.call('ZADD', key.index, '0', id)
  if not change.isSigned then
    redis.call('ZADD', key.unsigned, '0', id)
    drop_unsigned_excess(key, change.unsignedMax)
    return { 'received', id }
  end
  redis.call('ZADD', key.unprocessed, '0', id)
  redis.call('HSET', key.bytes, id, change.size)
  redis.call('HINCRBY', key.bytes, 'open', change.size)
  redis.call('SET', key.seen, id, 'PX', change.retentionMillis)
  timers.set(key.timers, id, { { name = change.timer, dueMillis = now } })
  return { 'received', id }
end

-- Counts one processing of a notice, records its outcome, and sets or drops its timer.
--   change: id, processedAt (absent = still open), error (absent = none), retryInMillis (absent = no retry), timer
-- Reply {'recorded'}  {'missing'}: its retention has ended; its timer is dropped
function inbox.record(key, change)
  local id = change.id
  if redis.call('EXISTS', key.notice) == 0 then
    drop_bytes(key.bytes, id, redis.call('ZSCORE', key.unprocessed, id) and 'open' or 'done')
    redis.call('ZREM', key.unprocessed, id)
    redis.call('ZREM', key.timers, id .. ':' .. change.timer)
    return { 'missing' }
  end
  redis.call('HINCRBY', key.notice, 'attempts', 1)
  redis.call('HSET', key.notice, 'processed_at', change.processedAt or '', 'error', change.error or '')
  if change.processedAt then
    close(key, id)
  else
    reopen(key, id)
  end
  if change.retryInMillis then
    timers.set(key.timers, id, { { name = change.timer, dueMillis = now_millis() + change.retryInMillis } })
  else
    redis.call('ZREM', key.timers, id .. ':' .. change.timer)
  end
  return { 'recorded' }
end

-- Queues a notice for processing again now; a processed one is open until then.
--   change: id, reprocessedAt, timer
-- Reply {'queued'}
-- Refusals {'missing'} {'bad_signature'}
function inbox.reprocess(key, change)
  local signature_valid = redis.call('HGET', key.notice, 'signature_valid')
  if not signature_valid then
    return { 'missing' }
  end
  if signature_valid ~= '1' then
    return { 'bad_signature' }
  end
  redis.call('HSET', key.notice, 'reprocessed_at', change.reprocessedAt, 'processed_at', '')
  reopen(key, change.id)
  timers.set(key.timers, change.id, { { name = change.timer, dueMillis = now_millis() } })
  return { 'queued' }
end
