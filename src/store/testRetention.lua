-- Deletes what ended in test mode (docs/decisions/0073-test-data-ends.md).

-- Raises an error unless the ledger, `ledger:{pNN}:<seller>:<mode>`, is one of test mode. Call it before the first write.
local function check_test(ledger_key)
  if string.sub(ledger_key, -5) ~= ':test' then
    error('only data of test mode are deleted')
  end
end

-- Whether a resource is of this seller, in test mode, and of the version that the caller decided on.
local function is_test_resource(resource, seller, version)
  local record = redis.call('HMGET', resource, 'seller', 'mode', 'version')
  return record[1] == seller and record[2] == 'test' and record[3] == version
end

-- Whether the last change is past retention, the newest event has left the feed, and none of the timers is set.
--   change: changedMillis, retentionMillis, newestEvent, timers (members of the queue)
local function is_past(key, change)
  if change.changedMillis >= now_millis() - change.retentionMillis then
    return false
  end
  if redis.call('XRANGE', key.events, change.newestEvent, change.newestEvent)[1] then
    return false
  end
  for _, member in ipairs(change.timers) do
    if redis.call('ZSCORE', key.timers, member) then
      return false
    end
  end
  return true
end

-- Notes that a resource which the ledger may name is deleted: no entry after the newest one names it. Without entries there is
-- nothing to note.
local function note_deleted(key, id)
  local newest = redis.call('XREVRANGE', key.ledger, '+', '-', 'COUNT', 1)[1]
  if newest then
    redis.call('ZADD', key.deleted, string.match(newest[1], '^%d+'), id)
  end
end

-- Counts a commit, so that an audit which it crossed looks again.
local function count_trimming(base)
  redis.call('HINCRBY', base, 'commits', 1)
end

-- Whether a charge and its refunds are those that the caller decided on.
local function is_as_decided(key, change, tag)
  if not is_test_resource(key.charge, change.sellerId, change.version) then
    return false
  end
  if redis.call('ZCARD', key.refundsOf) ~= #change.refunds then
    return false
  end
  for _, refund in ipairs(change.refunds) do
    local is_known = redis.call('ZSCORE', key.refundsOf, refund.id)
    if not is_known or not is_test_resource(key_names.refund(tag, refund.id), change.sellerId, refund.version) then
      return false
    end
  end
  return true
end

-- Deletes a charge of test mode that has ended, with all its refunds and notes, or nothing: hashes and indexes. Where the ledger may name
-- them, notes that they are deleted.
--   change: id, sellerId, version, retentionMillis, timers (members of the queue)
--     newestEvent: of the charge and its refunds; changedMillis: when the last of them changed
--     isInLedger: the ledger may name the charge
--     lookup: the terms by which it is found
--     payment: where it was paid through a payment link {link, amount}
--     customer: {paid, refunded}, what it added to its customer's sums
--     refunds: {id, version, status, isInLedger}
-- Reply {'deleted'}
-- Refusals {'stale'}: it has changed, or is not past retention
function test_retention.delete_charge(key, change)
  check_test(key.ledger)
  local tag = tag_of(key.charge)
  if not (is_as_decided(key, change, tag) and is_past(key, change)) then
    return { 'stale' }
  end

  count_trimming(key.base)
  for _, refund in ipairs(change.refunds) do
    if refund.isInLedger then
      note_deleted(key, refund.id)
    end
    redis.call('ZREM', key_names.refunds_of_status(tag, change.sellerId, 'test', refund.status), refund.id)
    redis.call('ZREM', key.refunds, refund.id)
    redis.call('DEL', key_names.refund(tag, refund.id))
  end
  if change.isInLedger then
    note_deleted(key, change.id)
  end
  for _, term in ipairs(change.lookup) do
    redis.call('ZREM', key_names.lookup(tag, change.sellerId, 'test'), term .. ' ' .. change.id)
  end
  if change.payment then
    payment_links.note_gone(key_names.payment_link(tag, change.payment.link), change.payment.amount)
  end
  customers.leave(tag, { sellerId = change.sellerId, mode = 'test' }, key.charge, change.id, change.customer)
  redis.call('ZREM', key.statusIndex, change.id)
  redis.call('ZREM', key.index, change.id)
  redis.call('DEL', key_names.notes(tag, change.id), key.refundsOf, key.charge)
  return { 'deleted' }
end

-- Deletes a withdrawal of test mode that has ended, or nothing: hash and indexes. Notes that it is deleted, since the ledger may
-- name it.
--   change: id, sellerId, version, retentionMillis, newestEvent, changedMillis, timers (members of the queue)
-- Reply {'deleted'}
-- Refusals {'stale'}: it has changed, or is not past retention
function test_retention.delete_withdrawal(key, change)
  check_test(key.ledger)
  local may_go = is_test_resource(key.withdrawal, change.sellerId, change.version)
    and redis.call('HGET', key.balance, 'open') ~= change.id
    and is_past(key, change)
  if not may_go then
    return { 'stale' }
  end

  count_trimming(key.base)
  note_deleted(key, change.id)
  redis.call('ZREM', key.statusIndex, change.id)
  redis.call('ZREM', key.partitionIndex, change.id)
  redis.call('ZREM', key.index, change.id)
  redis.call('DEL', key.withdrawal)
  return { 'deleted' }
end

-- Moves the base of a test ledger on to one of its entries, and deletes the entries up to it, or does nothing.
--   change: fields (those of the base; `entry` is the last that goes), nextEntry (the least id after it)
--     expectedEntry: the base's entry that the caller decided on; absent = none
-- Reply {'trimmed', how many entries went}
-- Refusals {'stale'}: the base is another, or the ledger lacks the entry
function test_retention.trim_ledger(key, change)
  check_test(key.ledger)
  local entry = change.fields.entry
  local is_as_expected = (redis.call('HGET', key.base, 'entry') or nil) == change.expectedEntry
  if not is_as_expected or not redis.call('XRANGE', key.ledger, entry, entry)[1] then
    return { 'stale' }
  end

  set_fields(key.base, change.fields)
  count_trimming(key.base)
  local trimmed = redis.call('XTRIM', key.ledger, 'MINID', '=', change.nextEntry)
  if redis.call('XLEN', key.ledger) == 0 then
    redis.call('DEL', key.deleted)
  else
    redis.call('ZREMRANGEBYSCORE', key.deleted, '-inf', '(' .. string.match(entry, '^%d+'))
  end
  return { 'trimmed', trimmed }
end
