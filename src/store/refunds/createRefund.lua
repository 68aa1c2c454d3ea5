-- Commits a new refund with what it changes of its charge, or nothing: both hashes, indexes, held money, events, owed
-- deliveries, timers and idempotency record.
-- KEYS.postback: the charge's postback destination (any key of the slot if it has none)
-- ARGV.held_from_available: what `available` must have; below zero after the movement, the reserve must cover it
-- ARGV.refunding_change: centavos that refunds under way gain of the charge
-- ARGV.account: acquirer account ('' = none)
-- ARGV.charge_event_type: '' = no event of the charge
-- ARGV_FROM.postings_then_timers: pairs (bucket, amount), pairs (name, due in ms) of the refund's timers, pairs of the
--   charge's timers to set, names of the charge's timers to drop
-- Reply {'created'}
-- Refusals {'stale'}: seller or charge have changed, the money is gone, or the balance would exceed what it can hold
--   {'key_invalid'} {'seller_not_allowed'} {'kyc_required'} {'mismatch'} {'in_progress'} {'replay', status, body}
local function charge_of_creation(keys, args)
  return {
    transaction = KEYS.transaction, old_index = KEYS.charge_old_index, new_index = KEYS.charge_new_index,
    postback = KEYS.postback, postbacks = KEYS.postbacks, id = ARGV.transaction_id, seller = ARGV.seller_id, mode = ARGV.mode,
    old_status = ARGV.charge_old_status, new_status = ARGV.charge_new_status, version = ARGV.charge_version,
    document = ARGV.charge_document, event_type = ARGV.charge_event_type, internal = ARGV.charge_internal,
    postback_id = ARGV.postback_id, postback_url = ARGV.postback_url
  }
end

local function write_creation(keys, args, change, charge, now)
  redis.call('HSET', KEYS.refund, 'document', ARGV.document)
  redis.call('HSET', KEYS.transaction, 'document', ARGV.charge_document)
  local feed = { events = KEYS.events, feed = KEYS.feed, subscriptions = KEYS.subscriptions, hint = ARGV.hint_channel }
  local outbox = { due = KEYS.due, wake = ARGV.wake_channel, queue_prefix = ARGV.queue_prefix }
  local entry = append_event(
    feed, { type = ARGV.event_type, resource = ARGV.refund_id, internal = ARGV.internal, data = ARGV.document },
    outbox, tonumber(ARGV.event_retention_millis), now
  )
  local charge_entry = append_charge_event(change, feed, outbox, ARGV.event_retention_millis, now)
  write_refund({
    refund = KEYS.refund, index = KEYS.index, status_index = KEYS.status_index, refunds_of = KEYS.refunds_of,
    id = ARGV.refund_id, transaction = ARGV.transaction_id, seller = ARGV.seller_id, mode = ARGV.mode, status = ARGV.status,
    account = ARGV.account, held_from_reserve = ARGV.held_from_reserve,
    idempotency_route = ARGV.idempotency_route, idempotency_key = ARGV.idempotency_key
  }, entry)
  write_charge(change, charge.events, charge_entry)
  write_refunding(KEYS.transaction, charge.refunding, ARGV.refunding_change)
  return entry
end

local function create_refund(keys, args)
  local now = now_millis()
  local refusal = check_request(KEYS.api_key, KEYS.seller, ARGV.seller_id, KEYS.idempotency, KEYS.events, ARGV.fingerprint, ARGV.execution, now)
  if refusal then
    return refusal[4] == 'own' and { 'created' } or refusal
  end
  local movement = {
    kind = ARGV.movement_kind, resource_type = ARGV.movement_resource_type, arguments = args,
    first = ARGV_FROM.postings_then_timers, count = tonumber(ARGV.postings_count)
  }
  local timers_from, timers = after_postings(movement), tonumber(ARGV.timers_count)
  local charge_timers_from, charge_timers = timers_from + 2 * timers, tonumber(ARGV.charge_timers_set_count)
  check_timers(args, timers_from, timers)
  check_timers(args, charge_timers_from, charge_timers)
  if (redis.call('HGET', KEYS.seller, 'version') or '0') ~= ARGV.seller_version then
    return { 'stale' }
  end
  local change = charge_of_creation(keys, args)
  local charge = read_charge(change)
  local after = charge and is_available(KEYS.balance, ARGV.held_from_available) and balance_after(KEYS.balance, movement)
  -- A debt stays covered by the reserve.
  if not after or (after.available < 0 and after.available + after.reserve < 0) then
    return { 'stale' }
  end

  local entry = write_creation(keys, args, change, charge, now)
  move_money({ balance = KEYS.balance, ledger = KEYS.ledger, after = after }, ARGV.refund_id, entry, movement)
  set_timers(KEYS.timers, ARGV.wake_channel, ARGV.refund_id, args, timers_from, timers)
  change_timers(
    KEYS.timers, ARGV.wake_channel, ARGV.transaction_id, args, charge_timers_from, charge_timers,
    tonumber(ARGV.charge_timers_dropped_count)
  )
  redis.call(
    'HSET', KEYS.idempotency, 'fingerprint', ARGV.fingerprint, 'state', 'done', 'execution', ARGV.execution, 'status', 201, 'body', ARGV.document
  )
  -- Kept until 24 h after the refund ends (docs/contract/README.md#idempotency); its end sets the expiry.
  redis.call('PERSIST', KEYS.idempotency)
  return { 'created' }
end

redis.register_function('corrente_create_refund', create_refund)
