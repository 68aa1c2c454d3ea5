-- Erasures of customers (docs/operations.md#erasing-a-customer).

-- Replaces a text of a hash if it is still as it was read. A hash with a version counts it, so that whoever has decided on
-- the text before decides again.
--   change: field, chargeId (noted as being erased, and without its notes and its customer; absent: none), lookup (terms by which that
--     charge is no longer found), sellerId, mode, customer {paid, refunded} (what it added to its customer's sums)
--   texts: expected, replacement
-- Reply {'erased'}
-- Refusals {'stale'}: the text has changed, or the hash is gone
function erasure.erase_text(key, change, expected, replacement)
  if redis.call('HGET', key.hash, change.field) ~= expected then
    return { 'stale' }
  end
  if change.chargeId then
    redis.call('ZADD', key.erasing, '0', change.chargeId)
    -- Whatever its seller wrote about the customer.
    redis.call('DEL', key_names.notes(tag_of(key.erasing), change.chargeId))
    customers.leave(tag_of(key.erasing), change, key.hash, change.chargeId, change.customer)
  end
  for _, term in ipairs(change.lookup) do
    redis.call('ZREM', key.lookup, term .. ' ' .. change.chargeId)
  end
  redis.call('HSET', key.hash, change.field, replacement)
  if redis.call('HEXISTS', key.hash, 'version') == 1 then
    redis.call('HINCRBY', key.hash, 'version', 1)
  end
  return { 'erased' }
end

-- Copies a range of a feed's events to another stream, under the same ids, some with other data.
--   change: first, last (entries), replaced (data by entry), expiryMillis (the copy ends by itself if nobody goes on with it)
-- Reply {copied}
function erasure.copy_events(key, change)
  local entries = redis.call('XRANGE', key.events, change.first, change.last)
  for _, entry in ipairs(entries) do
    local fields = entry[2]
    fields[10] = change.replaced[entry[1]] or fields[10]
    redis.call('XADD', key.copy, entry[1], unpack(fields))
  end
  redis.call('PEXPIRE', key.copy, change.expiryMillis)
  return { #entries }
end

-- Lets a copy of a feed's events take their place, with the events that the feed has had since.
--   change: last (entry copied), rewrites (how often the feed had been rewritten when the copy began), tailMax
-- Reply {'swapped'}  {'more'}: too many events since; copy them first
-- Refusals {'stale'}: another run has rewritten the feed, or the copy is gone
function erasure.swap_events(key, change)
  local rewrites = tonumber(redis.call('HGET', key.feed, 'rewrites') or '0')
  if rewrites ~= change.rewrites or redis.call('EXISTS', key.copy) == 0 then
    return { 'stale' }
  end
  local tail = redis.call('XRANGE', key.events, '(' .. change.last, '+', 'COUNT', change.tailMax + 1)
  if #tail > change.tailMax then
    return { 'more' }
  end
  for _, entry in ipairs(tail) do
    redis.call('XADD', key.copy, entry[1], unpack(entry[2]))
  end
  redis.call('PERSIST', key.copy)
  redis.call('RENAME', key.copy, key.events)
  redis.call('HINCRBY', key.feed, 'rewrites', 1)
  return { 'swapped' }
end
