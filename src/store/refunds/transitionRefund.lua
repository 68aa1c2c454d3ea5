-- Commits a transition of a refund with what it changes of its charge, or nothing: both hashes, indexes, events, owed
-- deliveries, money and timers. When the refund ends, its Idempotency-Key starts to expire. An exception of it may be recorded or
-- changed with it.
-- KEYS.postback: the charge's postback destination (any key of the slot if it has none)
-- KEYS.idempotency: the record of its request (any key of the slot if it has none)
-- KEYS.exception and those named after it: of the exception; absent without one
-- ARGV.event_type: '' = no event of the refund
-- ARGV.ends_idempotency: '1'/'0', whether the record starts to expire
-- ARGV.charge_version: '' = the charge stays as it is, whatever it is
-- ARGV.charge_event_type: '' = no event of the charge
-- ARGV.refunding_change: centavos that refunds under way gain of the charge
-- ARGV.movement_kind: '' = no money moves
-- ARGV_FROM.postings_timers_exception: pairs (bucket, amount), pairs (name, due in ms) of the refund's timers to set, names of
--   its timers to drop, the same two of the charge's timers; then, or nothing: what is done to the exception, as in
--   exceptions/prelude.lua
-- Reply {'applied'}
-- Refusals {'missing'}: or of another seller or mode  {'stale'}: status or version of the refund or its charge has
--   changed, or the exception's version
--   {'overflow'}: the balance would exceed what it can hold
local function charge_of_transition(keys, args)
  return {
    transaction = KEYS.transaction, old_index = KEYS.charge_old_index, new_index = KEYS.charge_new_index,
    postback = KEYS.postback, postbacks = KEYS.postbacks, id = ARGV.transaction_id, seller = ARGV.seller_id, mode = ARGV.mode,
    old_status = ARGV.charge_old_status, new_status = ARGV.charge_new_status, version = ARGV.charge_version,
    document = ARGV.charge_document, event_type = ARGV.charge_event_type, internal = ARGV.charge_internal,
    postback_id = ARGV.postback_id, postback_url = ARGV.postback_url
  }
end

-- Appends the events of the refund and its charge, and writes both. Returns the refund's entry id ('' = no event).
local function write_transition(keys, args, record, change, charge, now)
  redis.call('HSET', KEYS.refund, 'document', ARGV.document)
  if change then
    redis.call('HSET', KEYS.transaction, 'document', ARGV.charge_document)
  end
  local feed = { events = KEYS.events, feed = KEYS.feed, subscriptions = KEYS.subscriptions, hint = ARGV.hint_channel }
  local outbox = { due = KEYS.due, wake = ARGV.wake_channel, queue_prefix = ARGV.queue_prefix }
  local entry = ''
  if ARGV.event_type ~= '' then
    entry = append_event(
      feed, { type = ARGV.event_type, resource = ARGV.refund_id, internal = ARGV.internal, data = ARGV.document },
      outbox, tonumber(ARGV.event_retention_millis), now
    )
  end
  local charge_entry = change and append_charge_event(change, feed, outbox, ARGV.event_retention_millis, now)
  redis.call(
    'HSET', KEYS.refund, 'status', ARGV.new_status, 'version', integer(tonumber(ARGV.expected_version) + 1),
    'events', entry == '' and record[3] or record[3] .. ' ' .. entry
  )
  redis.call('ZREM', KEYS.old_index, ARGV.refund_id)
  redis.call('ZADD', KEYS.new_index, 0, ARGV.refund_id)
  if ARGV.old_status == 'processing' then
    redis.call('ZREM', series.key_beside('stuck-refunds', KEYS.timers), ARGV.refund_id)
  end
  if change then
    write_charge(change, charge.events, charge_entry)
    write_refunding(KEYS.transaction, charge.refunding, ARGV.refunding_change)
  end
  return entry
end

local function transition_refund(keys, args)
  local now = now_millis()
  local record = redis.call('HMGET', KEYS.refund, 'status', 'version', 'events', 'seller', 'mode')
  if not record[1] or record[4] ~= ARGV.seller_id or record[5] ~= ARGV.mode then
    return { 'missing' }
  end
  if record[1] ~= ARGV.old_status or record[2] ~= ARGV.expected_version then
    return { 'stale' }
  end
  local change = ARGV.charge_version ~= '' and charge_of_transition(keys, args)
  local charge, refusal
  if change then
    charge, refusal = read_charge(change)
  end
  if refusal then
    return refusal
  end
  local movement = {
    kind = ARGV.movement_kind, resource_type = ARGV.movement_resource_type, arguments = args,
    first = ARGV_FROM.postings_timers_exception, count = tonumber(ARGV.postings_count)
  }
  local timers_from, timers = after_postings(movement), tonumber(ARGV.timers_set_count)
  local dropped = tonumber(ARGV.timers_dropped_count)
  local charge_timers_from, charge_timers = timers_from + 2 * timers + dropped, tonumber(ARGV.charge_timers_set_count)
  local charge_dropped = tonumber(ARGV.charge_timers_dropped_count)
  local exception_from = charge_timers_from + 2 * charge_timers + charge_dropped
  local exception = args[exception_from] and {
    exception = KEYS.exception, facts = KEYS.exception_facts, old_index = KEYS.exception_old_index,
    new_index = KEYS.exception_new_index, old_kind_index = KEYS.exception_old_kind_index,
    new_kind_index = KEYS.exception_new_kind_index, arguments = args, first = exception_from
  }
  if exception and exception_refusal(exception) then
    return { 'stale' }
  end
  check_timers(args, timers_from, timers)
  check_timers(args, charge_timers_from, charge_timers)
  local after = movement.kind == '' or balance_after(KEYS.balance, movement)
  if not after then
    return { 'overflow' }
  end

  if exception then
    write_exception(exception)
  end
  local entry = write_transition(keys, args, record, change, charge, now)
  local moved = move_money({ balance = KEYS.balance, ledger = KEYS.ledger, after = after }, ARGV.refund_id, entry, movement)
  if exception then
    note_movement(exception, moved)
  end
  if ARGV.ends_idempotency == '1' then
    redis.call('PEXPIRE', KEYS.idempotency, ARGV.idempotency_retention_millis)
  end
  change_timers(KEYS.timers, ARGV.wake_channel, ARGV.refund_id, args, timers_from, timers, dropped)
  change_timers(
    KEYS.timers, ARGV.wake_channel, ARGV.transaction_id, args, charge_timers_from, charge_timers,
    charge_dropped
  )
  return { 'applied' }
end

redis.register_function('corrente_transition_refund', transition_refund)
