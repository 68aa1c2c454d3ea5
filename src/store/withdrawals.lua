-- Withdrawals (docs/contract/withdrawals.md).

-- The event of a change.
local function event_of(change, document)
  return { type = change.eventType, resource = change.id, data = document }
end

local function is_as_decided(key, change)
  if tonumber(redis.call('HGET', key.seller, 'version') or '0') ~= change.sellerVersion then
    return false
  end
  local pix_key = redis.call('HMGET', key.pixKey, 'version', 'status', 'seller', 'mode')
  if tonumber(pix_key[1] or '') ~= change.pixKeyVersion or pix_key[2] ~= 'verified'
    or pix_key[3] ~= change.sellerId or pix_key[4] ~= change.mode then
    return false
  end
  local day = redis.call('HMGET', key.day, 'value', 'count')
  if tonumber(day[1] or '0') ~= change.day.value or tonumber(day[2] or '0') ~= change.day.count then
    return false
  end
  return (redis.call('HGET', key.balance, 'open') or '') == '' and ledger.is_available(key.balance, change.total)
end

-- Commits a new withdrawal, or nothing: hash, indexes, held money, daily totals, event, owed deliveries, timers and
-- idempotency record.
--   change: sellerId, mode, retentionMillis, id, status, eventType, account (nil = none), pixValue (ciphertext), amount, total,
--     movement, timers; sellerVersion, pixKeyVersion and day {text, value, count, keptMillis}, on which it was decided;
--     idempotency {route, key}, fingerprint, execution
-- Reply {'created'}
-- Refusals {'stale'}: a precondition has changed, another withdrawal is open, the money is gone, or the balance would exceed
--   what it can hold; and those of `requests.check`
function withdrawals.create(key, change, document)
  local now = now_millis()
  local refusal = requests.check(key, change, now)
  if refusal then
    return refusal[4] == 'own' and { 'created' } or refusal
  end
  timers.check(change.timers)
  local after = is_as_decided(key, change) and ledger.balance_after(key.balance, change.movement)
  if not after then
    return { 'stale' }
  end

  redis.call('HSET', key.withdrawal, 'document', document)
  local entry = events.append(key, change, event_of(change, document), now)
  redis.call(
    'HSET', key.withdrawal, 'seller', change.sellerId, 'mode', change.mode, 'status', change.status, 'version', 1,
    'events', entry, 'pix_value', change.pixValue, 'day', change.day.text, 'idempotency_route', change.idempotency.route,
    'idempotency_key', change.idempotency.key
  )
  if change.account then
    redis.call('HSET', key.withdrawal, 'account', change.account)
  end
  redis.call('ZADD', key.index, '0', change.id)
  redis.call('ZADD', key.statusIndex, '0', change.id)
  redis.call('ZADD', key.partitionIndex, '0', change.id)
  redis.call('HINCRBY', key.day, 'value', integer(change.amount))
  redis.call('HINCRBY', key.day, 'count', 1)
  redis.call('PEXPIRE', key.day, change.day.keptMillis)
  ledger.move(key, change.movement, after, change.id, entry)
  redis.call('HSET', key.balance, 'open', change.id)
  timers.set(key.timers, change.id, change.timers)
  requests.save(key, change, 201, 'body', document)
  -- Kept until 24 h after the withdrawal ends (docs/contract/README.md#idempotency); its end sets the expiry.
  redis.call('PERSIST', key.idempotency)
  return { 'created' }
end

-- Lets the seller request the next one, gives its value back to its day, and lets its Idempotency-Key expire.
local function finish(key, change)
  if redis.call('HGET', key.balance, 'open') == change.id then
    redis.call('HSET', key.balance, 'open', '')
  end
  if change.dayValueBack ~= 0 and redis.call('EXISTS', key.day) == 1 then
    redis.call('HINCRBY', key.day, 'value', integer(-change.dayValueBack))
  end
  redis.call('PEXPIRE', key.idempotency, change.idempotencyRetentionMillis)
end

-- Commits a transition of a withdrawal, or nothing: hash, indexes, event, owed deliveries, money, daily totals and timers. An
-- exception of it may be recorded or changed with it.
--   change: sellerId, mode, retentionMillis, id, version (that it was decided on), oldStatus, newStatus, eventType, isOver (it
--     ends now), dayValueBack (centavos), sellerVersion (nil = any), availableMin (centavos, nil = any), movement, timers,
--     timersDone, exception, idempotencyRetentionMillis
-- Reply {'applied'}
-- Refusals {'missing'} {'stale'}: status or version has changed, or the version of the seller or the exception, or too little
--     is available
--   {'overflow'}: the balance would exceed what it can hold
function withdrawals.transition(key, change, document, exception_document)
  local now = now_millis()
  local record = redis.call('HMGET', key.withdrawal, 'status', 'version', 'events')
  if not record[1] then
    return { 'missing' }
  end
  if record[1] ~= change.oldStatus or tonumber(record[2]) ~= change.version then
    return { 'stale' }
  end
  if change.sellerVersion and tonumber(redis.call('HGET', key.seller, 'version') or '0') ~= change.sellerVersion then
    return { 'stale' }
  end
  if not ledger.is_available(key.balance, change.availableMin) then
    return { 'stale' }
  end
  local exception = change.exception
  if exception and exceptions.refusal(key, exception) then
    return { 'stale' }
  end
  timers.check(change.timers)
  local after = ledger.balance_after(key.balance, change.movement)
  if not after then
    return { 'overflow' }
  end

  redis.call('HSET', key.withdrawal, 'document', document)
  if exception then
    exceptions.write(key, exception, exception_document)
  end
  local entry = events.append(key, change, event_of(change, document), now)
  redis.call(
    'HSET', key.withdrawal, 'status', change.newStatus, 'version', change.version + 1, 'events', record[3] .. ' ' .. entry
  )
  redis.call('ZREM', key.oldIndex, change.id)
  redis.call('ZADD', key.newIndex, '0', change.id)
  redis.call('ZREM', key.oldPartitionIndex, change.id)
  redis.call('ZADD', key.newPartitionIndex, '0', change.id)
  local moved = ledger.move(key, change.movement, after, change.id, entry)
  if exception then
    exceptions.note_movement(key, exception, moved)
  end
  if change.isOver then
    finish(key, change)
  end
  timers.change(key.timers, change.id, change.timers, change.timersDone)
  return { 'applied' }
end
