-- Exceptions (docs/contract/exceptions.md#fields).
--
-- What a commit does to an exception is a table: isNew (records it, unless its fact is recorded; else changes it), id, state,
-- fact, kind, mode, sellerId, account, version (that the change was decided on), pending (the act that is under way or awaits a
-- second operator). Its keys are exception, exceptionFacts and its indexes before and after.

-- 'missing' or 'stale' where a change finds no exception or another version, else nil. Raises an error where something lacks.
-- Call it before the first write.
function exceptions.refusal(key, exception)
  local has_all = exception.id and exception.state and exception.fact and exception.kind and exception.mode
  if not has_all or not (exception.isNew or exception.pending and exception.version) then
    error('what is done to an exception lacks something')
  end
  if exception.isNew then
    return nil
  end
  local version = redis.call('HGET', key.exception, 'version')
  if not version then
    return 'missing'
  end
  return tonumber(version) ~= exception.version and 'stale' or nil
end

-- Writes what a commit does to an exception. Returns the exception of the fact that was recorded before, or nil.
function exceptions.write(key, exception, document)
  if exception.isNew then
    local known = redis.call('HGET', key.exceptionFacts, exception.fact)
    if known then
      return known
    end
    redis.call(
      'HSET', key.exception, 'document', document, 'fact', exception.fact, 'kind', exception.kind, 'mode', exception.mode,
      'seller', exception.sellerId or '', 'account', exception.account or '', 'state', exception.state, 'version', 1, 'pending', ''
    )
    redis.call('HSET', key.exceptionFacts, exception.fact, exception.id)
    if exception.kind == 'payout_stuck' and exception.mode == 'live' and exception.sellerId then
      alerts.raise(tag_of(key.exception), exception.sellerId, 'payout_stuck', exception.id, now_millis())
    end
  else
    redis.call(
      'HSET', key.exception, 'document', document, 'state', exception.state, 'version', exception.version + 1,
      'pending', exception.pending
    )
    redis.call('ZREM', key.exceptionOldIndex, exception.id)
    redis.call('ZREM', key.exceptionOldKindIndex, exception.id)
  end
  redis.call('ZADD', key.exceptionNewIndex, '0', exception.id)
  redis.call('ZADD', key.exceptionNewKindIndex, '0', exception.id)
  return nil
end

-- Notes with a changed exception the ledger entry of the money that moved with the change, if any did, so that an audit finds it.
function exceptions.note_movement(key, exception, entry)
  if entry and not exception.isNew then
    redis.call('HSET', key.exception, 'movement', entry)
  end
end

-- Records an exception, unless its fact is recorded already.
-- Reply {'opened'} {'exists', id}: the exception of the fact
function exceptions.open(key, change, document)
  exceptions.refusal(key, change.exception)
  local known = exceptions.write(key, change.exception, document)
  return known and { 'exists', known } or { 'opened' }
end

-- Commits a change of an exception that changes nothing else, with its timers, or nothing.
--   change: exception, timers, timersDone
-- Reply {'applied'}
-- Refusals {'missing'} {'stale'}: its version has changed
function exceptions.commit(key, change, document)
  timers.check(change.timers)
  local refusal = exceptions.refusal(key, change.exception)
  if refusal then
    return { refusal }
  end

  exceptions.write(key, change.exception, document)
  timers.change(key.timers, change.exception.id, change.timers, change.timersDone)
  return { 'applied' }
end

-- Credits a seller with the money of an exception of any partition, once: event, owed deliveries and money, or nothing.
--   change: sellerId, mode, retentionMillis, fact (that it was credited), eventType, resourceId, movement
-- Reply {'applied'}: now or before
-- Refusals {'missing'}: no such seller  {'overflow'}: the balance would exceed what it can hold
function exceptions.credit(key, change, document)
  local now = now_millis()
  if redis.call('HEXISTS', key.facts, change.fact) == 1 then
    return { 'applied' }
  end
  if redis.call('EXISTS', key.seller) == 0 then
    return { 'missing' }
  end
  local after = ledger.balance_after(key.balance, change.movement)
  if not after then
    return { 'overflow' }
  end

  local entry = events.append(
    key, change, { type = change.eventType, resource = change.resourceId, data = document }, now
  )
  local moved = ledger.move(key, change.movement, after, change.movement.resourceId, entry)
  redis.call('HSET', key.facts, change.fact, change.sellerId .. ':' .. change.mode .. ':' .. entry .. ':' .. moved)
  return { 'applied' }
end
