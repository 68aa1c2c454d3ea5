-- Alerts (docs/contract/notifications.md): what a seller wants to hear of, and what it is still to be told.
--
-- How an alert is owed and sent:
-- 1. A commit that does something of which a seller may want to hear calls `alerts.hear`, `alerts.watch_money` or `alerts.raise`. Who
--    chose no alerts costs it nothing: fan-out and the balance are read anyway, and have the choice.
-- 2. The alert joins `alerts:{pNN}:<seller>`, once for each way it goes, and the seller's timer is due now.
-- 3. The process that runs the partition's timers claims what is due, sends it, and finishes it.
-- If the process dies between 2 and 3, the claim's lease ends and another sends it: twice at worst, and never not at all.
--
-- A member is `<tries> <channel> <when> <about>`; what it is about has no line breaks, and src/accounts/alerts reads it. Live alone:
-- nobody waits for the money of test mode.

-- Repeats `alertsPerHourMax` of schema/accountLimits.ts: commits that owe alerts know nothing of them.
local per_hour_max = 10
local hour_millis = 3600000

-- Owes an alert by one channel. One more in an hour than are allowed says that others are held back, which then are dropped.
local function owe(tag, seller_id, channel, when, about, now)
  local hour = integer(math.floor(now / hour_millis))
  local counts = key_names.alert_counts(tag, seller_id, hour)
  local counted = channel .. ':' .. when
  local count = tonumber(redis.call('HGET', counts, counted) or '0') + 1
  if count > per_hour_max + 1 then
    return
  end
  local owed = key_names.alerts(tag, seller_id)
  local text = count > per_hour_max and 'held_back ' .. hour or about
  local member = '0 ' .. channel .. ' ' .. when .. ' ' .. text
  if redis.call('ZADD', owed, 'NX', integer(now), member) == 0 then
    return
  end
  redis.call('HSET', counts, counted, count)
  redis.call('PEXPIRE', counts, 2 * hour_millis)
  timers.set(key_names.timers(tag), seller_id, { { name = 'alerts', dueMillis = now } })
end

-- Owes an alert of an event by a channel if its choice has the event. A choice is `,name=when,name=when,`, where a name is the type
-- of an event or a thing that `alerts.raise` is told of.
function alerts.hear(tag, seller_id, channel, choice, name, about, now)
  local _, last = string.find(choice, ',' .. name .. '=', 1, true)
  if last then
    owe(tag, seller_id, channel, string.match(choice, '^[^,]+', last + 1), about, now)
  end
end

-- Owes an alert of a thing that is no event by the channels whose choice has it.
function alerts.raise(tag, seller_id, name, about, now)
  local subscriptions = key_names.subscriptions(tag, seller_id, 'live')
  for _, field in ipairs({ 'alert-mail', 'alert-url' }) do
    local choice = redis.call('HGET', subscriptions, field)
    if choice then
      alerts.hear(tag, seller_id, string.sub(field, 7), choice, name, about, now)
    end
  end
end

-- Owes what a movement of money gives reason for: a chargeback, a large charge, a balance that falls below a minimum. It falls only
-- if it was not below before.
--   gained: what the movement adds to each bucket; after: the result of `ledger.balance_after`; entry: of the ledger
function alerts.watch_money(balance, movement, gained, after, resource_id, entry)
  local kind, available = movement.kind, gained.available or 0
  local is_chargeback = kind == 'charge_chargeback' or kind == 'charge_partial_chargeback'
  local outside = math.abs(gained.external or 0)
  local is_large = kind == 'charge_paid' and after.alert_large > 0 and outside >= after.alert_large
  local falls = after.available < after.alert_below and after.available - available >= after.alert_below
  if not (is_chargeback or is_large or falls) then
    return
  end
  local seller_id = string.match(balance, '}:([^:]+):live$')
  if not seller_id then
    return
  end
  local tag, now = tag_of(balance), now_millis()
  if is_chargeback then
    alerts.raise(tag, seller_id, 'chargeback', integer(outside) .. ' ' .. resource_id .. ' ' .. entry, now)
  end
  if is_large then
    alerts.raise(tag, seller_id, 'large_charge', integer(outside) .. ' ' .. resource_id, now)
  end
  if falls then
    alerts.raise(tag, seller_id, 'balance_below', integer(after.available) .. ' ' .. entry, now)
  end
end

-- Owes an alert of something that no other commit of the seller's partition writes.
--   change: sellerId, name, about
-- Reply {'raised'}
function alerts.note(key, change)
  alerts.raise(tag_of(key.subscriptions), change.sellerId, change.name, change.about, now_millis())
  return { 'raised' }
end

-- Replaces what a seller wants to hear of.
--   change: mail and url (the choice of each channel; nil = nothing), below and large (centavos; nil = any)
--   texts: settings (ciphertext)
-- Reply {'saved'}
function alerts.save(key, change, settings)
  redis.call('HSET', key.settings, 'sealed', settings)
  local written = {
    { key.subscriptions, 'alert-mail', change.mail }, { key.subscriptions, 'alert-url', change.url },
    { key.balance, 'alert_below', change.below }, { key.balance, 'alert_large', change.large }
  }
  for _, place in ipairs(written) do
    if place[3] then
      redis.call('HSET', place[1], place[2], place[3])
    else
      redis.call('HDEL', place[1], place[2])
    end
  end
  return { 'saved' }
end

-- Sets the seller's timer for what is due next, or drops it.
local function plan(key, seller_id)
  local soonest = redis.call('ZRANGE', key.owed, 0, 0, 'WITHSCORES')
  if soonest[2] then
    timers.set(key.timers, seller_id, { { name = 'alerts', dueMillis = tonumber(soonest[2]) } })
  else
    timers.change(key.timers, seller_id, {}, { 'alerts' })
  end
end

-- Leases alerts that are due.
--   change: sellerId, alertsMax, leaseMillis
-- Reply {settings (ciphertext; '' = none), when the lease ends (ms), member...}
function alerts.claim(key, change)
  local now = now_millis()
  local due = redis.call('ZRANGEBYSCORE', key.owed, '-inf', integer(now), 'LIMIT', 0, change.alertsMax)
  local lease_end = integer(now + change.leaseMillis)
  for _, member in ipairs(due) do
    redis.call('ZADD', key.owed, lease_end, member)
  end
  plan(key, change.sellerId)
  return { redis.call('HGET', key.settings, 'sealed') or '', lease_end, unpack(due) }
end

-- Ends a leased alert, or lets it be due again later.
--   change: sellerId, member, leaseEndMillis, again {member, inMillis} (nil = it is over)
-- Reply {'finished'}
-- Refusals {'stale'}: another has claimed or finished it since
function alerts.finish(key, change)
  if tonumber(redis.call('ZSCORE', key.owed, change.member) or '') ~= change.leaseEndMillis then
    return { 'stale' }
  end
  if change.again then
    redis.call('ZADD', key.owed, integer(now_millis() + change.again.inMillis), change.again.member)
  end
  redis.call('ZREM', key.owed, change.member)
  plan(key, change.sellerId)
  return { 'finished' }
end
