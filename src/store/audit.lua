-- What audits read, and what repairs mend (docs/operations.md#audit).

-- The id of a stream's newest entry and the entry's second value; nil where it has none.
local function newest(stream)
  local found = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]
  if found then
    return found[1], found[2][2]
  end
end

-- The newest event that a feed has had: one that retention has emptied still knows its entry id, and the hash its seq.
local function newest_event(events_key, feed_seq)
  local entry, seq = newest(events_key)
  if entry or redis.call('EXISTS', events_key) == 0 then
    return entry, seq
  end
  local info = redis.call('XINFO', 'STREAM', events_key)
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then
      return info[i + 1], feed_seq
    end
  end
end

-- Reads in one step what an audit of a seller and mode compares: the balance and the newest entry of each stream.
-- Reply {newest ledger entry, seq and newest entry by the feed's hash, newest event's entry and its seq,
--   then the balance's names and values}; '' = none
function audit.anchor(key)
  local ledger_entry = newest(key.ledger)
  local feed = redis.call('HMGET', key.feed, 'seq', 'last')
  local event, seq = newest_event(key.events, feed[1])
  local reply = { ledger_entry or '', feed[1] or '', feed[2] or '', event or '', seq or '' }
  for _, text in ipairs(redis.call('HGETALL', key.balance)) do
    reply[#reply + 1] = text
  end
  return reply
end

-- Reads entries of a feed without their data, which is most of their size.
--   change: entriesMax (of each range), ranges: {first, last} as XRANGE takes them
-- Reply of each range: {entry id, seq, type, resource, entry id, ...}
function audit.events(key, change)
  local reply = {}
  for i, range in ipairs(change.ranges) do
    local heads = {}
    for _, entry in ipairs(redis.call('XRANGE', key.events, range[1], range[2], 'COUNT', change.entriesMax)) do
      heads[#heads + 1] = entry[1]
      for place = 2, 6, 2 do
        heads[#heads + 1] = entry[2][place] or ''
      end
    end
    reply[i] = heads
  end
  return reply
end

-- Sets the counters of a balance to the sums of its ledger, unless the ledger has grown since or its buckets differ: it never
-- changes money.
--   change: newestEntry (the newest entry in the sums; absent = none), counters and buckets: {name, value}
-- Reply {'repaired', then of each counter that changed its name and the value before}
-- Refusals {'stale'}: the ledger has grown  {'money'}: a bucket differs
function audit.repair_counters(key, change)
  if newest(key.ledger) ~= change.newestEntry then
    return { 'stale' }
  end
  for _, bucket in ipairs(change.buckets) do
    if (redis.call('HGET', key.balance, bucket[1]) or '0') ~= bucket[2] then
      return { 'money' }
    end
  end
  local repaired = { 'repaired' }
  for _, counter in ipairs(change.counters) do
    local name, value = counter[1], counter[2]
    local found = redis.call('HGET', key.balance, name) or '0'
    if found ~= value then
      redis.call('HSET', key.balance, name, value)
      repaired[#repaired + 1] = name
      repaired[#repaired + 1] = found
    end
  end
  return repaired
end

local function set_member(index, id, is_member, mended)
  local has = redis.call('ZSCORE', index, id)
  if is_member and not has then
    redis.call('ZADD', index, '0', id)
    mended[#mended + 1] = '+' .. index
  elseif has and not is_member then
    redis.call('ZREM', index, id)
    mended[#mended + 1] = '-' .. index
  end
end

local function is_in_any(indexes, id)
  for _, index in ipairs(indexes) do
    if redis.call('ZSCORE', index, id) then
      return true
    end
  end
  return false
end

-- Makes the indexes of a resource agree with its hash, in one step: that of all holds its id, and of those by status only those of
-- its own.
--   key.statusIndexes: those of the seller, then those of the partition
--   change: id, sellerId, mode, statuses (of each of these indexes)
-- Reply {'mended', then of each index that changed '+' or '-' and its key}
-- Refusals {'lost'}: the indexes have the id as they have that of a resource, but no hash of this seller and mode
--   {'unknown'}: no index is of its status
function audit.repair_indexes(key, change)
  local record = redis.call('HMGET', key.resource, 'seller', 'mode', 'status')
  local status = record[1] == change.sellerId and record[2] == change.mode and record[3]
  if not status and redis.call('ZSCORE', key.index, change.id) and is_in_any(key.statusIndexes, change.id) then
    return { 'lost' }
  end
  local is_known = not status
  for _, known in ipairs(change.statuses) do
    is_known = is_known or known == status
  end
  if not is_known then
    return { 'unknown' }
  end

  local mended = { 'mended' }
  set_member(key.index, change.id, status and true or false, mended)
  for i, index in ipairs(key.statusIndexes) do
    set_member(index, change.id, status == change.statuses[i], mended)
  end
  return mended
end

-- Sets a calendar of releases, unless the ledger has grown since.
--   change: newestEntry (the newest entry in the sums; absent = none), fields: {name, value}
-- Reply {'repaired'}
-- Refusals {'stale'}: the ledger has grown
function audit.repair_releases(key, change)
  if newest(key.ledger) ~= change.newestEntry then
    return { 'stale' }
  end
  redis.call('DEL', key.releases)
  for _, field in ipairs(change.fields) do
    redis.call('HSET', key.releases, field[1], field[2])
  end
  return { 'repaired' }
end

-- Sets counts of a seller's and mode's series.
--   change: sellerId, mode, last (the feed's newest entry in the sums), counts: {day, field, value}
-- Reply {'repaired'}
-- Refusals {'stale'}: the feed has grown since
function audit.repair_series(key, change)
  if redis.call('HGET', key.feed, 'last') ~= change.last then
    return { 'stale' }
  end
  for _, count in ipairs(change.counts) do
    local counts_key = key_names.series(tag_of(key.feed), change.sellerId, change.mode, integer(count.day))
    redis.call('HSET', counts_key, count.field, count.value)
    redis.call('PEXPIRE', counts_key, integer(series.kept_millis))
  end
  return { 'repaired' }
end

-- Sets what a payment link counts: its payments, their sum and its pending charges.
--   change: before, counts: {payments, paid_amount, pending}
-- Reply {'repaired'}
-- Refusals {'stale'}: the counts are no longer those of before
function audit.repair_link(key, change)
  local found = redis.call('HMGET', key.paymentLink, 'payments', 'paid_amount', 'pending')
  for i, before in ipairs(change.before) do
    if (found[i] or '0') ~= before then
      return { 'stale' }
    end
  end
  local payments, paid, pending = unpack(change.counts)
  redis.call('HSET', key.paymentLink, 'payments', payments, 'paid_amount', paid, 'pending', pending)
  return { 'repaired' }
end
