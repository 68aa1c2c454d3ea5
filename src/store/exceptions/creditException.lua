-- Credits a seller with the money of an exception of any partition, once: event, owed deliveries and money, or nothing.
-- ARGV.fact: that it was credited
-- ARGV.feed: '<seller>:<mode>'
-- ARGV_FROM.postings: pairs (bucket, amount)
-- Reply {'applied'}: now or before
-- Refusals {'missing'}: no such seller  {'overflow'}: the balance would exceed what it can hold
local function credit_exception(keys, args)
  local now = now_millis()
  if redis.call('HEXISTS', KEYS.facts, ARGV.fact) == 1 then
    return { 'applied' }
  end
  if redis.call('EXISTS', KEYS.seller) == 0 then
    return { 'missing' }
  end
  local movement = {
    kind = ARGV.movement_kind, resource_type = ARGV.movement_resource_type, arguments = args,
    first = ARGV_FROM.postings, count = tonumber(ARGV.postings_count)
  }
  local after = balance_after(KEYS.balance, movement)
  if not after then
    return { 'overflow' }
  end

  local entry = append_event(
    { events = KEYS.events, feed = KEYS.feed, subscriptions = KEYS.subscriptions, hint = ARGV.hint_channel },
    { type = ARGV.event_type, resource = ARGV.resource_id, internal = '0', data = ARGV.document },
    { due = KEYS.due, wake = ARGV.wake_channel, queue_prefix = ARGV.queue_prefix },
    tonumber(ARGV.event_retention_millis), now
  )
  local moved = move_money(
    { balance = KEYS.balance, ledger = KEYS.ledger, after = after }, ARGV.movement_resource_id, entry, movement
  )
  redis.call('HSET', KEYS.facts, ARGV.fact, ARGV.feed .. ':' .. entry .. ':' .. moved)
  return { 'applied' }
end

redis.register_function('corrente_credit_exception', credit_exception)
