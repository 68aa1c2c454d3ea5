-- Commits a change of a charge, or nothing: hash, status indexes, event, owed deliveries, money and timers. With equal old
-- and new status the charge gains a fact (a partial refund, an exception, a released reserve).
-- KEYS.postback: the charge's postback destination (any key of the slot if it has none)
-- ARGV.event_type: '' = no event
-- ARGV.postback_id: '' = none
-- ARGV.movement_kind: '' = no money moves
-- ARGV_FROM.postings_then_timers: pairs (bucket, amount), pairs (name, due in ms) of timers to set, names of timers to drop
-- Reply {'applied'}
-- Refusals {'missing'}: or of another seller or mode  {'stale'}: status or version has changed
--   {'overflow'}: the balance would exceed what it can hold
local function owe_postback(keys, args, outbox, entry, now)
  redis.call('HSET', KEYS.postback, 'seller', ARGV.seller_id, 'mode', ARGV.mode, 'target', 'postback', 'url', ARGV.postback_url)
  redis.call('PEXPIRE', KEYS.postback, ARGV.event_retention_millis)
  redis.call('ZADD', KEYS.postbacks, integer(now), ARGV.postback_id)
  redis.call('ZREMRANGEBYSCORE', KEYS.postbacks, '-inf', '(' .. integer(now - tonumber(ARGV.event_retention_millis)))
  owe(outbox, ARGV.postback_id, entry, now)
end

local function append_transition(keys, args, now)
  if ARGV.event_type == '' then
    return ''
  end
  local outbox = { due = KEYS.due, wake = ARGV.wake_channel, queue_prefix = ARGV.queue_prefix }
  local entry = append_event(
    { events = KEYS.events, feed = KEYS.feed, subscriptions = KEYS.subscriptions, hint = ARGV.hint_channel },
    { type = ARGV.event_type, resource = ARGV.transaction_id, internal = ARGV.internal, data = ARGV.document },
    outbox, tonumber(ARGV.event_retention_millis), now
  )
  if ARGV.postback_id ~= '' and ARGV.internal == '0' then
    owe_postback(keys, args, outbox, entry, now)
  end
  return entry
end

local function transition_transaction(keys, args)
  local now = now_millis()
  local record = redis.call('HMGET', KEYS.transaction, 'status', 'version', 'events', 'seller', 'mode')
  if not record[1] or record[4] ~= ARGV.seller_id or record[5] ~= ARGV.mode then
    return { 'missing' }
  end
  if record[1] ~= ARGV.old_status or record[2] ~= ARGV.expected_version then
    return { 'stale' }
  end
  local version = integer(tonumber(ARGV.expected_version) + 1)
  local movement = {
    kind = ARGV.movement_kind, resource_type = ARGV.movement_resource_type, arguments = args,
    first = ARGV_FROM.postings_then_timers, count = tonumber(ARGV.postings_count)
  }
  local timers_from, timers = after_postings(movement), tonumber(ARGV.timers_set_count)
  local dropped = tonumber(ARGV.timers_dropped_count)
  check_timers(args, timers_from, timers)
  local after = movement.kind == '' or balance_after(KEYS.balance, movement)
  if not after then
    return { 'overflow' }
  end

  redis.call('HSET', KEYS.transaction, 'document', ARGV.document)
  local entry = append_transition(keys, args, now)
  local events = entry == '' and record[3] or record[3] .. ' ' .. entry
  redis.call(
    'HSET', KEYS.transaction, 'status', ARGV.new_status, 'version', version, 'events', events
  )
  if ARGV.old_status ~= ARGV.new_status then
    redis.call('ZREM', KEYS.old_index, ARGV.transaction_id)
    redis.call('ZADD', KEYS.new_index, 0, ARGV.transaction_id)
  end
  move_money({ balance = KEYS.balance, ledger = KEYS.ledger, after = after }, ARGV.transaction_id, entry, movement)
  change_timers(KEYS.timers, ARGV.wake_channel, ARGV.transaction_id, args, timers_from, timers, dropped)
  return { 'applied' }
end

redis.register_function('corrente_transition_transaction', transition_transaction)
