-- Charges (docs/contract/transactions.md#states), and the commit of everything that a change of one brings with it.
--
-- How a commit goes:
-- 1. It checks everything: credential and idempotency record of a request, status and version that it was decided on, the
--    exception's version, that timers have a time, that the balance can hold what moves. A refusal ends it here, with nothing written.
-- 2. It writes the document, the largest value, first; then what belongs to the exception and to a refund that it books.
-- 3. It appends the event, which announces it and owes it to every subscribed destination, and then the rest: status, indexes,
--    money, timers, idempotency record, counts.
-- Redis runs it whole. If the machine dies between 2 and 3 and the file is cut there (aof-load-truncated), a document without its
-- event is left, which the repeated request overwrites; a count without its charge is not, because counts come last.
--
-- The `charge` of a change is a table: id, version (that it was decided on), oldStatus, newStatus, eventType (nil = no event),
-- isInternal, postback {id, url}, refundingChange (centavos that refunds under way gain of it), customer {paid, refunded} (what its
-- customer's sums gain), timers, timersDone. Its keys are
-- charge, chargeOldIndex, chargeNewIndex, postback and postbacks. The change itself has sellerId, mode and retentionMillis.

-- The charge as stored: the ids of its events, the centavos of its refunds under way, and its customer. Where it is not as the change was
-- decided on, false and the reply: {'missing'} (or of another seller or mode) or {'stale'}. Call it before the first write.
function charges.read(key, change)
  local charge = change.charge
  local record = redis.call('HMGET', key.charge, 'status', 'version', 'events', 'seller', 'mode', 'refunding', 'account', 'customer')
  if not record[1] or record[4] ~= change.sellerId or record[5] ~= change.mode then
    return false, { 'missing' }
  end
  if record[1] ~= charge.oldStatus or tonumber(record[2]) ~= charge.version then
    return false, { 'stale' }
  end
  return { events = record[3], refunding = tonumber(record[6] or '0'), account = record[7], customer = record[8] }
end

local function owe_postback(key, change, entry, now)
  local postback = change.charge.postback
  redis.call('HSET', key.postback, 'seller', change.sellerId, 'mode', change.mode, 'target', 'postback', 'url', postback.url)
  redis.call('PEXPIRE', key.postback, integer(change.retentionMillis))
  redis.call('ZADD', key.postbacks, integer(now), postback.id)
  redis.call('ZREMRANGEBYSCORE', key.postbacks, '-inf', '(' .. integer(now - change.retentionMillis))
  deliveries.owe(key.due, { postback.id }, entry, now)
end

-- Appends the event of a changed charge, and owes it to the charge's postback as well. Returns its entry (nil = no event).
function charges.append_event(key, change, document, now)
  local charge = change.charge
  if not charge.eventType then
    return nil
  end
  local entry = events.append(
    key, change, { type = charge.eventType, isInternal = charge.isInternal, resource = charge.id, data = document }, now
  )
  if charge.postback and not charge.isInternal then
    owe_postback(key, change, entry, now)
  end
  return entry
end

-- Writes status, version, events and indexes of a changed charge; its document is written before.
--   events_before: those of `charges.read`; entry: of the change's event (nil = none)
function charges.write(key, charge, events_before, entry)
  redis.call(
    'HSET', key.charge, 'status', charge.newStatus, 'version', charge.version + 1,
    'events', entry and events_before .. ' ' .. entry or events_before
  )
  if charge.oldStatus ~= charge.newStatus then
    redis.call('ZREM', key.chargeOldIndex, charge.id)
    redis.call('ZADD', key.chargeNewIndex, '0', charge.id)
  end
end

-- Commits a new charge, or nothing: hash, indexes, event, owed deliveries, timers and idempotency record.
--   change: sellerId, mode, retentionMillis, id, status, eventType, isInternal, account and customer (nil = none), lookup (the terms by
--     which it is found), paymentLink (its id; nil = none), timers, fingerprint, execution, idempotencyRetentionMillis
-- Reply {'created'}
-- Refusals those of `requests.check`, and where it is made through a payment link {'link_inactive'} {'link_full'}
function charges.create(key, change, document)
  local now = now_millis()
  local refusal = requests.check(key, change, now)
  if refusal then
    return refusal[4] == 'own' and { 'created' } or refusal
  end
  timers.check(change.timers)
  local closed = change.paymentLink and payment_links.refusal(key.paymentLink)
  if closed then
    return closed
  end

  redis.call('HSET', key.charge, 'document', document)
  local entry = events.append(
    key, change, { type = change.eventType, isInternal = change.isInternal, resource = change.id, data = document }, now
  )
  set_fields(key.charge, {
    seller = change.sellerId, mode = change.mode, status = change.status, version = 1, events = entry, account = change.account,
    customer = change.customer
  })
  redis.call('ZADD', key.index, '0', change.id)
  redis.call('ZADD', key.statusIndex, '0', change.id)
  timers.set(key.timers, change.id, change.timers)
  requests.save(key, change, 201, 'resource', change.id, 'entry', entry)
  redis.call('PEXPIRE', key.idempotency, integer(change.idempotencyRetentionMillis))
  series.note_lookup(key.lookup, change.lookup, change.id)
  series.count_created(tag_of(key.events), change, entry)
  if change.paymentLink then
    payment_links.hold(key.paymentLink)
  end
  return { 'created' }
end

-- Creates the refund that a change books: it began at the acquirer.
local function append_refund(key, change, charge, document, now)
  local refund = change.refund
  redis.call('HSET', key.refund, 'document', document)
  local entry = events.append(
    key, change, { type = refund.eventType, isInternal = refund.isInternal, resource = refund.id, data = document }, now
  )
  refunds.write(key, change, {
    id = refund.id, transactionId = change.charge.id, status = refund.status, account = charge.account, heldFromReserve = 0
  }, entry)
end

-- Commits a change of a charge, or nothing. With equal old and new status the charge gains a fact (a partial refund, an
-- exception, a released reserve). A refund that began at the acquirer is created with the change that books it, its event before
-- the charge's. An exception of the charge may be recorded or changed with it. A payment link counts last, and tells after the charge.
--   change: sellerId, mode, retentionMillis, charge, movement, refund {id, status, eventType, isInternal}, exception, lookup (the
--     terms by which the charge is found from now on), paymentLink {id, eventType, amount}
-- Reply {'applied'}
-- Refusals {'missing'}: or of another seller or mode  {'stale'}: status or version has changed, or the exception's version
--   {'overflow'}: the balance would exceed what it can hold
function charges.transition(key, change, document, refund_document, exception_document)
  local now = now_millis()
  local before, refusal = charges.read(key, change)
  if not before then
    return refusal
  end
  local charge, movement, exception = change.charge, change.movement, change.exception
  if exception and exceptions.refusal(key, exception) then
    return { 'stale' }
  end
  local moves_for_exception = movement and movement.resourceType == 'exception'
  if moves_for_exception and not exception then
    error('money moves for an exception that is not there')
  end
  timers.check(charge.timers)
  local after = ledger.balance_after(key.balance, movement)
  if not after then
    return { 'overflow' }
  end

  redis.call('HSET', key.charge, 'document', document)
  if exception then
    exceptions.write(key, exception, exception_document)
  end
  if change.refund then
    append_refund(key, change, before, refund_document, now)
  end
  local entry = charges.append_event(key, change, document, now)
  charges.write(key, charge, before.events, entry)
  local moved = ledger.move(key, movement, after, moves_for_exception and exception.id or charge.id, entry)
  if moved and not entry and movement.resourceType == 'transaction' then
    -- No event leads to this movement: the hash itself names it.
    redis.call('HSET', key.charge, 'release', moved)
  end
  if exception then
    exceptions.note_movement(key, exception, moved)
  end
  timers.change(key.timers, charge.id, charge.timers, charge.timersDone)
  series.note_lookup(key.lookup, change.lookup, charge.id)
  series.count_moved(tag_of(key.events), change, entry, movement)
  customers.count(tag_of(key.events), change, before.customer)
  if change.paymentLink then
    payment_links.settle(key, change, now)
  end
  return { 'applied' }
end
