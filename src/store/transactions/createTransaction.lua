-- Commits a new charge, or nothing: hash, indexes, event, owed deliveries, timers and idempotency record.
-- ARGV.internal: '1'/'0', whether the event's type is internal (docs/contract/events.md#types)
-- ARGV_FROM.timers_then_account_lookup: pairs (name, due in ms), then the acquirer account ('' or absent = none), then a digest by
--   which the charge is found ('' or absent = none)
-- Reply {'created'}
-- Refusals {'key_invalid'} {'seller_not_allowed'} {'kyc_required'} {'mismatch'} {'in_progress'} {'replay', status, body}
local function create_transaction(keys, args)
  local now = now_millis()
  local refusal = check_request(KEYS.api_key, KEYS.seller, ARGV.seller_id, KEYS.idempotency, KEYS.events, ARGV.fingerprint, ARGV.execution, now)
  if refusal then
    return refusal[4] == 'own' and { 'created' } or refusal
  end
  local timers = tonumber(ARGV.timers_count)
  check_timers(args, ARGV_FROM.timers_then_account_lookup, timers)

  redis.call('HSET', KEYS.transaction, 'document', ARGV.document)
  local entry = append_event(
    { events = KEYS.events, feed = KEYS.feed, subscriptions = KEYS.subscriptions, hint = ARGV.hint_channel },
    { type = ARGV.event_type, resource = ARGV.transaction_id, internal = ARGV.internal, data = ARGV.document },
    { due = KEYS.due, wake = ARGV.wake_channel, queue_prefix = ARGV.queue_prefix },
    tonumber(ARGV.event_retention_millis), now
  )
  redis.call(
    'HSET', KEYS.transaction, 'seller', ARGV.seller_id, 'mode', ARGV.mode, 'status', ARGV.status, 'version', 1, 'events', entry
  )
  local account = args[ARGV_FROM.timers_then_account_lookup + 2 * timers]
  if account and account ~= '' then
    redis.call('HSET', KEYS.transaction, 'account', account)
  end
  redis.call('ZADD', KEYS.index, 0, ARGV.transaction_id)
  redis.call('ZADD', KEYS.status_index, 0, ARGV.transaction_id)
  set_timers(KEYS.timers, ARGV.wake_channel, ARGV.transaction_id, args, ARGV_FROM.timers_then_account_lookup, timers)
  redis.call(
    'HSET', KEYS.idempotency, 'fingerprint', ARGV.fingerprint, 'state', 'done', 'execution', ARGV.execution, 'status', 201,
    'resource', ARGV.transaction_id, 'entry', entry
  )
  redis.call('PEXPIRE', KEYS.idempotency, ARGV.idempotency_retention_millis)
  series.note_lookup(KEYS.events, args[ARGV_FROM.timers_then_account_lookup + 2 * timers + 1] or '', ARGV.transaction_id)
  series.count_created(KEYS.events, KEYS.index, entry)
  return { 'created' }
end

redis.register_function('corrente_create_transaction', create_transaction)
