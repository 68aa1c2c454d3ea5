-- Feeds: every event of a seller and mode, in order.

-- Appends an event to a feed, announces it, and owes it to every subscribed destination and to who wants alerts of it. Returns the
-- entry's id. Readers take an entry's fields by position (data is the tenth value), so their order is fixed.
--   key: events, feed, due; subscriptions (nil: it is owed to nobody)
--   change: whose feed it is (sellerId, mode), retentionMillis
--   event: type, isInternal, resource, data (JSON)
function events.append(key, change, event, now)
  local tag = tag_of(key.events)
  local state = redis.call('HMGET', key.feed, 'seq', 'last')
  local seq = integer((tonumber(state[1]) or 0) + 1)
  local entry = redis.call(
    'XADD', key.events, 'MINID', '~', integer(now - change.retentionMillis), '*', 'seq', seq, 'type', event.type,
    'resource', event.resource, 'internal', event.isInternal and '1' or '0', 'data', event.data
  )
  redis.call('HSET', key.feed, 'seq', seq, 'last', entry)
  redis.call('PUBLISH', key_names.hint(tag, change.sellerId, change.mode), (state[2] or '0-0') .. ' ' .. entry)
  if event.isInternal or not key.subscriptions then
    return entry
  end
  local subscriptions, owed = redis.call('HGETALL', key.subscriptions), {}
  for i = 1, #subscriptions, 2 do
    if string.sub(subscriptions[i], 1, 6) == 'alert-' then
      alerts.hear(tag, change.sellerId, string.sub(subscriptions[i], 7), subscriptions[i + 1], event.type, entry, now)
    elseif deliveries.is_subscribed(subscriptions[i + 1], event.type) then
      if deliveries.is_ordered(subscriptions[i + 1]) then
        deliveries.owe_in_turn(key.due, subscriptions[i], event.resource, seq, entry, now)
      else
        owed[#owed + 1] = subscriptions[i]
      end
    end
  end
  deliveries.owe(key.due, owed, entry, now)
  return entry
end
