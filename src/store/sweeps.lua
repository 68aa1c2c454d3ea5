-- Sweeps of what acquirers list, by account.

-- Takes or renews the lease on an account's sweeps.
--   change: account, holder, leaseMillis
-- Reply {'claimed', fence}: the same fence where it renews, one higher where it takes
-- Refusals {'held'}: by another process
function sweeps.claim(key, change)
  local now = now_millis()
  local found = redis.call('HMGET', key.sweep, 'holder', 'lease_until', 'fence')
  local is_held = tonumber(found[2] or '0') > now
  if is_held and found[1] ~= change.holder then
    return { 'held' }
  end
  local fence = tonumber(found[3] or '0') + (is_held and 0 or 1)
  redis.call(
    'HSET', key.sweep, 'holder', change.holder, 'lease_until', integer(now + change.leaseMillis),
    'fence', integer(fence)
  )
  redis.call('SADD', key.accounts, change.account)
  return { 'claimed', integer(fence) }
end

-- Whether another process has taken the lease since.
local function is_outfenced(sweep, fence)
  return tonumber(redis.call('HGET', sweep, 'fence') or '') ~= fence
end

-- Records a complete sweep of an account.
--   change: fence, beganMillis, toMillis, isLong (it is the daily one)
-- Reply {'applied'}
-- Refusals {'stale'}: another process has taken the lease since
function sweeps.complete(key, change)
  if is_outfenced(key.sweep, change.fence) then
    return { 'stale' }
  end
  redis.call('HSET', key.sweep, 'began', change.beganMillis, 'completed_to', change.toMillis)
  if change.isLong then
    redis.call('HSET', key.sweep, 'long_began', change.beganMillis)
  end
  return { 'applied' }
end

-- Reads the sweeps of an account, and the clock that dates them.
-- Reply {now, began, completed_to, long_began, wanted, unread}: ms and a number of items; '' where there has been none
function sweeps.read(key)
  local found = redis.call('HMGET', key.sweep, 'began', 'completed_to', 'long_began', 'wanted', 'unread')
  local reply = { integer(now_millis()) }
  for i = 1, 5 do
    reply[i + 1] = found[i] or ''
  end
  return reply
end

-- Asks for a sweep that begins after now.
-- Reply {'applied'}
function sweeps.request(key)
  redis.call('HSET', key.sweep, 'wanted', integer(now_millis()))
  return { 'applied' }
end

-- Records what a sweep of an account could not read, in place of what the one before it could not.
--   change: fence, rememberedMax
--     items: {digest, text}; it leaves out those that an operator has accepted
--     more: how many it met besides these
-- Reply {'applied', open}: how many are open, which may be more than are remembered
-- Refusals {'stale'}: another process has taken the lease since
function sweeps.record_unread(key, change)
  if is_outfenced(key.sweep, change.fence) then
    return { 'stale' }
  end
  local open = change.more
  local remembered = {}
  for _, item in ipairs(change.items) do
    if redis.call('HEXISTS', key.accepted, item.digest) == 0 then
      open = open + 1
      if #remembered < 2 * change.rememberedMax then
        remembered[#remembered + 1] = item.digest
        remembered[#remembered + 1] = item.text
      end
    end
  end
  redis.call('DEL', key.unread)
  if #remembered > 0 then
    redis.call('HSET', key.unread, unpack(remembered))
  end
  redis.call('HSET', key.sweep, 'unread', integer(open))
  return { 'applied', integer(open) }
end

-- The digests of accepted items that no sweep reaches any more.
local function unreachable(accepted, until_millis)
  local digests = {}
  for i = 1, #accepted, 2 do
    if tonumber(string.match(accepted[i + 1], '^%d+')) <= until_millis then
      digests[#digests + 1] = accepted[i]
    end
  end
  return digests
end

-- Lets sweeps of an account pass over an item that they cannot read. Where there is no room, those that no sweep reaches any more
-- make some.
--   change: digest, text (the item with the operator's reason), keptMillis, acceptedMax
-- Reply {'applied'}, also for one that was accepted before
-- Refusals {'unknown'}: the last sweep did not meet it  {'full'}: too many are accepted
function sweeps.accept_unread(key, change)
  if redis.call('HEXISTS', key.accepted, change.digest) == 1 then
    return { 'applied' }
  end
  if redis.call('HEXISTS', key.unread, change.digest) == 0 then
    return { 'unknown' }
  end
  local now = now_millis()
  local forgotten = {}
  if redis.call('HLEN', key.accepted) >= change.acceptedMax then
    forgotten = unreachable(redis.call('HGETALL', key.accepted), now - change.keptMillis)
    if #forgotten == 0 then
      return { 'full' }
    end
  end
  redis.call('HSET', key.accepted, change.digest, integer(now) .. ' ' .. change.text)
  redis.call('HDEL', key.unread, change.digest)
  local open = tonumber(redis.call('HGET', key.sweep, 'unread') or '1')
  redis.call('HSET', key.sweep, 'unread', integer(math.max(0, open - 1)))
  if #forgotten > 0 then
    redis.call('HDEL', key.accepted, unpack(forgotten))
  end
  return { 'applied' }
end

-- Remembers the items of an account's lists that no query confirms, in place of those that a sweep began with. What was noted
-- since stays.
--   change: before (the keys of the items that it began with), items: {key, text}
-- Reply {'applied'}
function sweeps.keep_unconfirmed(key, change)
  for _, item_key in ipairs(change.before) do
    redis.call('HDEL', key.unconfirmed, item_key)
  end
  for _, item in ipairs(change.items) do
    redis.call('HSET', key.unconfirmed, item.key, item.text)
  end
  return { 'applied' }
end
