-- Commits a transition of a withdrawal, or nothing: hash, indexes, event, owed deliveries, money, daily totals and timers.
-- When it ends, the seller may request the next one and its Idempotency-Key starts to expire. An exception of it may be recorded
-- or changed with it.
-- KEYS.old_partition_index, KEYS.new_partition_index: the partition's indexes of both statuses
-- KEYS.exception and those named after it: of the exception; absent without one
-- ARGV.is_over: '1'/'0', whether it ends now
-- ARGV.day_amount: centavos to subtract from its day's total
-- ARGV.seller_version: the seller's version that it was decided on ('' = any)
-- ARGV.available_min: centavos that the seller must have available ('' = any)
-- ARGV.movement_kind: '' = no money moves
-- ARGV_FROM.postings_timers_exception: pairs (bucket, amount), pairs (name, due in ms) of timers to set, names of timers to
--   drop; then, or nothing: what is done to the exception, as in exceptions/prelude.lua
-- Reply {'applied'}
-- Refusals {'missing'} {'stale'}: status or version has changed, or the version of the seller or the exception, or too little
--     is available
--   {'overflow'}: the balance would exceed what it can hold
local function end_withdrawal(keys, args)
  if redis.call('HGET', KEYS.balance, 'open') == ARGV.withdrawal_id then
    redis.call('HSET', KEYS.balance, 'open', '')
  end
  if ARGV.day_amount ~= '0' and redis.call('EXISTS', KEYS.day) == 1 then
    redis.call('HINCRBY', KEYS.day, 'value', '-' .. ARGV.day_amount)
  end
  redis.call('PEXPIRE', KEYS.idempotency, ARGV.idempotency_retention_millis)
end

local function transition_withdrawal(keys, args)
  local now = now_millis()
  local record = redis.call('HMGET', KEYS.withdrawal, 'status', 'version', 'events')
  if not record[1] then
    return { 'missing' }
  end
  if record[1] ~= ARGV.old_status or record[2] ~= ARGV.expected_version then
    return { 'stale' }
  end
  if ARGV.seller_version ~= '' and (redis.call('HGET', KEYS.seller, 'version') or '0') ~= ARGV.seller_version then
    return { 'stale' }
  end
  if not is_available(KEYS.balance, ARGV.available_min) then
    return { 'stale' }
  end
  local version = integer(tonumber(ARGV.expected_version) + 1)
  local movement = {
    kind = ARGV.movement_kind, resource_type = ARGV.movement_resource_type, arguments = args,
    first = ARGV_FROM.postings_timers_exception, count = tonumber(ARGV.postings_count)
  }
  local timers_from, timers = after_postings(movement), tonumber(ARGV.timers_set_count)
  local dropped = tonumber(ARGV.timers_dropped_count)
  local exception_from = timers_from + 2 * timers + dropped
  local exception = args[exception_from] and {
    exception = KEYS.exception, facts = KEYS.exception_facts, old_index = KEYS.exception_old_index,
    new_index = KEYS.exception_new_index, old_kind_index = KEYS.exception_old_kind_index,
    new_kind_index = KEYS.exception_new_kind_index, arguments = args, first = exception_from
  }
  if exception and exception_refusal(exception) then
    return { 'stale' }
  end
  check_timers(args, timers_from, timers)
  local after = movement.kind == '' or balance_after(KEYS.balance, movement)
  if not after then
    return { 'overflow' }
  end

  redis.call('HSET', KEYS.withdrawal, 'document', ARGV.document)
  if exception then
    write_exception(exception)
  end
  local entry = append_event(
    { events = KEYS.events, feed = KEYS.feed, subscriptions = KEYS.subscriptions, hint = ARGV.hint_channel },
    { type = ARGV.event_type, resource = ARGV.withdrawal_id, internal = '0', data = ARGV.document },
    { due = KEYS.due, wake = ARGV.wake_channel, queue_prefix = ARGV.queue_prefix },
    tonumber(ARGV.event_retention_millis), now
  )
  redis.call(
    'HSET', KEYS.withdrawal, 'status', ARGV.new_status, 'version', version,
    'events', record[3] .. ' ' .. entry
  )
  redis.call('ZREM', KEYS.old_index, ARGV.withdrawal_id)
  redis.call('ZADD', KEYS.new_index, 0, ARGV.withdrawal_id)
  redis.call('ZREM', KEYS.old_partition_index, ARGV.withdrawal_id)
  redis.call('ZADD', KEYS.new_partition_index, 0, ARGV.withdrawal_id)
  local moved = move_money({ balance = KEYS.balance, ledger = KEYS.ledger, after = after }, ARGV.withdrawal_id, entry, movement)
  if exception then
    note_movement(exception, moved)
  end
  if ARGV.is_over == '1' then
    end_withdrawal(keys, args)
  end
  change_timers(KEYS.timers, ARGV.wake_channel, ARGV.withdrawal_id, args, timers_from, timers, dropped)
  return { 'applied' }
end

redis.register_function('corrente_transition_withdrawal', transition_withdrawal)
