-- Commits a change of a charge, or nothing: hash, status indexes, event, owed deliveries, money and timers. With equal old
-- and new status the charge gains a fact (a partial refund, an exception, a released reserve). A refund that began at the
-- acquirer is created with the change that books it, its event before the charge's. An exception of the charge may be recorded or changed with it.
-- KEYS.postback: the charge's postback destination (any key of the slot if it has none)
-- KEYS.refund, KEYS.refund_index, KEYS.refund_status_index, KEYS.refunds_of: of that refund; absent without one, or any keys of the slot
-- KEYS.exception and those named after it: of the exception; absent without one
-- ARGV.event_type: '' = no event
-- ARGV.postback_id: '' = none
-- ARGV.movement_kind: '' = no money moves
-- ARGV.movement_resource_type: whose movement it is: the charge's, or 'exception', that of the exception
-- ARGV_FROM.postings_timers_refund_exception: pairs (bucket, amount), pairs (name, due in ms) of timers to set, names of timers to
--   drop; then, or nothing: the refund's id ('' = none), status, document, event type and whether that is internal; then, or
--   nothing: what is done to the exception, as in exceptions/prelude.lua, or ''; then, or nothing, a digest by which the charge is
--   found
-- Reply {'applied'}
-- Refusals {'missing'}: or of another seller or mode  {'stale'}: status or version has changed, or the exception's version
--   {'overflow'}: the balance would exceed what it can hold
local function append_refund(keys, args, from, charge, outbox, now)
  local id = args[from]
  redis.call('HSET', KEYS.refund, 'document', args[from + 2])
  local entry = append_event(
    { events = KEYS.events, feed = KEYS.feed, subscriptions = KEYS.subscriptions, hint = ARGV.hint_channel },
    { type = args[from + 3], resource = id, internal = args[from + 4], data = args[from + 2] },
    outbox, tonumber(ARGV.event_retention_millis), now
  )
  write_refund({
    refund = KEYS.refund, index = KEYS.refund_index, status_index = KEYS.refund_status_index, refunds_of = KEYS.refunds_of,
    id = id, transaction = ARGV.transaction_id, seller = ARGV.seller_id, mode = ARGV.mode, status = args[from + 1],
    account = charge.account, held_from_reserve = 0
  }, entry)
end

local function transition_transaction(keys, args)
  local now = now_millis()
  local change = {
    transaction = KEYS.transaction, old_index = KEYS.old_index, new_index = KEYS.new_index, postback = KEYS.postback,
    postbacks = KEYS.postbacks, id = ARGV.transaction_id, seller = ARGV.seller_id, mode = ARGV.mode,
    old_status = ARGV.old_status, new_status = ARGV.new_status, version = ARGV.expected_version, document = ARGV.document,
    event_type = ARGV.event_type, internal = ARGV.internal, postback_id = ARGV.postback_id, postback_url = ARGV.postback_url
  }
  local charge, refusal = read_charge(change)
  if not charge then
    return refusal
  end
  local movement = {
    kind = ARGV.movement_kind, resource_type = ARGV.movement_resource_type, arguments = args,
    first = ARGV_FROM.postings_timers_refund_exception, count = tonumber(ARGV.postings_count)
  }
  local timers_from, timers = after_postings(movement), tonumber(ARGV.timers_set_count)
  local dropped = tonumber(ARGV.timers_dropped_count)
  local refund_from = timers_from + 2 * timers + dropped
  local exception_from = refund_from + 5
  local has_exception = args[exception_from] and args[exception_from] ~= ''
  local digest = args[exception_from + (has_exception and 11 or 1)] or ''
  local exception = has_exception and {
    exception = KEYS.exception, facts = KEYS.exception_facts, old_index = KEYS.exception_old_index,
    new_index = KEYS.exception_new_index, old_kind_index = KEYS.exception_old_kind_index,
    new_kind_index = KEYS.exception_new_kind_index, arguments = args, first = exception_from
  }
  if exception and exception_refusal(exception) then
    return { 'stale' }
  end
  local moves_for_exception = movement.resource_type == 'exception'
  if moves_for_exception and not exception then
    error('money moves for an exception that is not there')
  end
  check_timers(args, timers_from, timers)
  local after = movement.kind == '' or balance_after(KEYS.balance, movement)
  if not after then
    return { 'overflow' }
  end

  redis.call('HSET', KEYS.transaction, 'document', ARGV.document)
  local outbox = { due = KEYS.due, wake = ARGV.wake_channel, queue_prefix = ARGV.queue_prefix }
  if exception then
    write_exception(exception)
  end
  if args[refund_from] and args[refund_from] ~= '' then
    append_refund(keys, args, refund_from, charge, outbox, now)
  end
  local entry = append_charge_event(
    change, { events = KEYS.events, feed = KEYS.feed, subscriptions = KEYS.subscriptions, hint = ARGV.hint_channel },
    outbox, ARGV.event_retention_millis, now
  )
  write_charge(change, charge.events, entry)
  local moved = move_money(
    { balance = KEYS.balance, ledger = KEYS.ledger, after = after },
    moves_for_exception and args[exception_from + 1] or ARGV.transaction_id, entry, movement
  )
  if moved and entry == '' and movement.resource_type == 'transaction' then
    -- No event leads to this movement: the hash itself names it.
    redis.call('HSET', KEYS.transaction, 'release', moved)
  end
  if exception then
    note_movement(exception, moved)
  end
  change_timers(KEYS.timers, ARGV.wake_channel, ARGV.transaction_id, args, timers_from, timers, dropped)
  series.note_lookup(KEYS.events, digest, ARGV.transaction_id)
  if movement.kind == 'charge_paid' and entry ~= '' then
    series.count_paid(KEYS.events, entry, movement)
  end
  return { 'applied' }
end

redis.register_function('corrente_transition_transaction', transition_transaction)
