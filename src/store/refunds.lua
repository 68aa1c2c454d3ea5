-- Refunds (docs/contract/refunds.md). What a commit changes of the refund's charge is its `charge`, as in charges.lua.

-- Writes the fields and indexes of a new refund; its document is written before.
--   key: refund, refundIndex, refundStatusIndex, refundsOf
--   refund: id, transactionId, status, account, heldFromReserve; idempotency {route, key} of its request, nil where it began at
--     the acquirer
--   entry: of its event
function refunds.write(key, change, refund, entry)
  redis.call(
    'HSET', key.refund, 'seller', change.sellerId, 'mode', change.mode, 'transaction', refund.transactionId,
    'status', refund.status, 'version', 1, 'events', entry, 'held_from_reserve', refund.heldFromReserve
  )
  if refund.account then
    redis.call('HSET', key.refund, 'account', refund.account)
  end
  if refund.idempotency then
    redis.call('HSET', key.refund, 'idempotency_route', refund.idempotency.route, 'idempotency_key', refund.idempotency.key)
  end
  redis.call('ZADD', key.refundIndex, '0', refund.id)
  redis.call('ZADD', key.refundStatusIndex, '0', refund.id)
  redis.call('ZADD', key.refundsOf, '0', refund.id)
end

-- Writes what refunds under way hold of the charge after a change.
local function write_refunding(key, charge, before)
  redis.call('HSET', key.charge, 'refunding', integer(before.refunding + charge.refundingChange))
end

-- The event of a change.
local function event_of(change, document)
  return { type = change.eventType, isInternal = change.isInternal, resource = change.id, data = document }
end

-- Commits a new refund with what it changes of its charge, or nothing: both hashes, indexes, held money, events, owed
-- deliveries, timers and idempotency record.
--   change: sellerId, mode, retentionMillis, id, status, eventType, isInternal, account, heldFromReserve, heldFromAvailable (what
--     `available` must have; below zero after the movement, the reserve must cover it), sellerVersion, movement, timers, charge,
--     idempotency {route, key}, fingerprint, execution
-- Reply {'created'}
-- Refusals {'stale'}: seller or charge have changed, the money is gone, or the balance would exceed what it can hold; and those of
--   `requests.check`
function refunds.create(key, change, document, charge_document)
  local now = now_millis()
  local refusal = requests.check(key, change, now)
  if refusal then
    return refusal[4] == 'own' and { 'created' } or refusal
  end
  local charge = change.charge
  timers.check(change.timers)
  timers.check(charge.timers)
  if tonumber(redis.call('HGET', key.seller, 'version') or '0') ~= change.sellerVersion then
    return { 'stale' }
  end
  local before = charges.read(key, change)
  local after = before and ledger.is_available(key.balance, change.heldFromAvailable)
    and ledger.balance_after(key.balance, change.movement)
  -- A debt stays covered by the reserve.
  if not after or (after.available < 0 and after.available + after.reserve < 0) then
    return { 'stale' }
  end

  redis.call('HSET', key.refund, 'document', document)
  redis.call('HSET', key.charge, 'document', charge_document)
  local entry = events.append(key, change, event_of(change, document), now)
  local charge_entry = charges.append_event(key, change, charge_document, now)
  refunds.write(key, change, {
    id = change.id, transactionId = charge.id, status = change.status, account = change.account,
    heldFromReserve = change.heldFromReserve, idempotency = change.idempotency
  }, entry)
  charges.write(key, charge, before.events, charge_entry)
  write_refunding(key, charge, before)
  ledger.move(key, change.movement, after, change.id, entry)
  timers.set(key.timers, change.id, change.timers)
  timers.change(key.timers, charge.id, charge.timers, charge.timersDone)
  requests.save(key, change, 201, 'body', document)
  -- Kept until 24 h after the refund ends (docs/contract/README.md#idempotency); its end sets the expiry.
  redis.call('PERSIST', key.idempotency)
  return { 'created' }
end

-- Appends the events of the refund and its charge, and writes both. Returns the refund's entry (nil = no event).
local function write_transition(key, change, refund, charge_before, documents, now)
  redis.call('HSET', key.refund, 'document', documents.refund)
  if change.charge then
    redis.call('HSET', key.charge, 'document', documents.charge)
  end
  local entry = change.eventType and events.append(key, change, event_of(change, documents.refund), now)
  local charge_entry = change.charge and charges.append_event(key, change, documents.charge, now)
  redis.call(
    'HSET', key.refund, 'status', change.newStatus, 'version', change.version + 1,
    'events', entry and refund[3] .. ' ' .. entry or refund[3]
  )
  redis.call('ZREM', key.oldIndex, change.id)
  redis.call('ZADD', key.newIndex, '0', change.id)
  if change.oldStatus == 'processing' then
    redis.call('ZREM', key.stuck, change.id)
  end
  if change.charge then
    charges.write(key, change.charge, charge_before.events, charge_entry)
    write_refunding(key, change.charge, charge_before)
  end
  return entry
end

-- Commits a transition of a refund with what it changes of its charge, or nothing: both hashes, indexes, events, owed
-- deliveries, money and timers. When the refund ends, its Idempotency-Key starts to expire. An exception of it may be recorded or
-- changed with it.
--   change: sellerId, mode, retentionMillis, id, version (that it was decided on), oldStatus, newStatus, eventType (nil = no event),
--     isInternal, movement, timers, timersDone, charge (nil: it stays as it is), exception, endsIdempotency,
--     idempotencyRetentionMillis
-- Reply {'applied'}
-- Refusals {'missing'}: or of another seller or mode  {'stale'}: status or version of the refund or its charge has
--   changed, or the exception's version
--   {'overflow'}: the balance would exceed what it can hold
function refunds.transition(key, change, document, charge_document, exception_document)
  local now = now_millis()
  local record = redis.call('HMGET', key.refund, 'status', 'version', 'events', 'seller', 'mode')
  if not record[1] or record[4] ~= change.sellerId or record[5] ~= change.mode then
    return { 'missing' }
  end
  if record[1] ~= change.oldStatus or tonumber(record[2]) ~= change.version then
    return { 'stale' }
  end
  local charge_before, refusal
  if change.charge then
    charge_before, refusal = charges.read(key, change)
  end
  if refusal then
    return refusal
  end
  local charge, exception = change.charge, change.exception
  if exception and exceptions.refusal(key, exception) then
    return { 'stale' }
  end
  timers.check(change.timers)
  timers.check(charge and charge.timers or {})
  local after = ledger.balance_after(key.balance, change.movement)
  if not after then
    return { 'overflow' }
  end

  if exception then
    exceptions.write(key, exception, exception_document)
  end
  local documents = { refund = document, charge = charge_document }
  local entry = write_transition(key, change, record, charge_before, documents, now)
  local moved = ledger.move(key, change.movement, after, change.id, entry)
  if exception then
    exceptions.note_movement(key, exception, moved)
  end
  if change.endsIdempotency then
    redis.call('PEXPIRE', key.idempotency, change.idempotencyRetentionMillis)
  end
  timers.change(key.timers, change.id, change.timers, change.timersDone)
  if charge then
    timers.change(key.timers, charge.id, charge.timers, charge.timersDone)
  end
  series.count_moved(tag_of(key.events), change, entry, change.movement)
  if charge then
    customers.count(tag_of(key.events), change, charge_before.customer)
  end
  return { 'applied' }
end

-- Notes that a refund is processing for long, unless it has ended meanwhile. Its next transition takes the note back.
-- Reply {'noted'} {'known'}: it was noted before
-- Refusals {'ended'}: it is not processing
function refunds.note_stuck(key, change)
  if redis.call('HGET', key.refund, 'status') ~= 'processing' then
    return { 'ended' }
  end
  return { redis.call('ZADD', key.stuck, 'NX', change.sinceMillis, change.id) == 1 and 'noted' or 'known' }
end
