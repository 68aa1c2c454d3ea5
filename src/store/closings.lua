-- Closings of days (docs/decisions/0071-days-are-closed-once.md). A closing is an entry of a stream whose id is its day, so no day
-- is written twice.

-- Whether the stream has a closing of this day or a later one.
local function is_closed(closings_key, entry)
  local last = redis.call('XREVRANGE', closings_key, '+', '-', 'COUNT', 1)[1]
  return last ~= nil and tonumber(string.match(last[1], '^%d+')) >= tonumber(string.match(entry, '^%d+'))
end

-- Whether a process with a higher fence has written in the partition; if not, remembers this one.
local function is_outfenced(state, fence)
  local known = tonumber(redis.call('HGET', state, 'fence') or '0')
  if known > fence then
    return true
  end
  redis.call('HSET', state, 'fence', fence)
  return false
end

-- Takes or renews the lease on the closing of days. Each holder gets a higher fence than the one before it, also one that lost it
-- for a while.
--   change: holder, leaseMillis
-- Reply {fence, now in ms}: the clock is the one that dates ledger entries; {'0'} while another process holds it
function closings.claim(key, change)
  local record = redis.call('HMGET', key.lease, 'holder', 'fence', 'until')
  local now = now_millis()
  local is_over = not record[3] or tonumber(record[3]) <= now
  if not is_over and record[1] ~= change.holder then
    return { '0' }
  end
  local fence = tonumber(record[2] or '0')
  if is_over then
    fence = fence + 1
  end
  redis.call(
    'HSET', key.lease, 'holder', change.holder, 'fence', integer(fence), 'until', integer(now + change.leaseMillis)
  )
  return { integer(fence), integer(now) }
end

-- Writes the closing of a seller's day, once.
--   change: fence, entry (the day as an entry id), movements, closing
-- Reply {'applied'}: now, or before
-- Refusals {'stale'}: a process with a higher fence closes days
function closings.close_seller(key, change)
  if is_outfenced(key.state, change.fence) then
    return { 'stale' }
  end
  if not is_closed(key.closings, change.entry) then
    redis.call('XADD', key.closings, change.entry, 'movements', change.movements, 'closing', change.closing)
  end
  return { 'applied' }
end

-- Marks a day as closed in a partition, and writes its sums where something moved, once.
--   change: fence, mode, day, entry (the day as an entry id), closing
--     movements: '' = nothing moved: the last sums stand
-- Reply {'applied'}: now, or before
-- Refusals {'stale'}: a process with a higher fence closes days
function closings.close_part(key, change)
  if is_outfenced(key.state, change.fence) then
    return { 'stale' }
  end
  if (redis.call('HGET', key.state, change.mode) or '') >= change.day then
    return { 'applied' }
  end
  if change.movements ~= '' and not is_closed(key.parts, change.entry) then
    redis.call('XADD', key.parts, change.entry, 'movements', change.movements, 'closing', change.closing)
  end
  redis.call('HSET', key.state, change.mode, change.day)
  return { 'applied' }
end

-- Writes the closing of a day over all sellers, once.
--   change: fence, entry (the day as an entry id), movements, closing
--     partner: '' = no books to compare with
-- Reply {'applied'}: now, or before
-- Refusals {'stale'}: another process closes days
function closings.close_whole(key, change)
  if tonumber(redis.call('HGET', key.lease, 'fence') or '') ~= change.fence then
    return { 'stale' }
  end
  if not is_closed(key.closings, change.entry) then
    redis.call(
      'XADD', key.closings, change.entry, 'movements', change.movements, 'closing', change.closing,
      'partner', change.partner, 'created_at', integer(now_millis())
    )
  end
  return { 'applied' }
end
