-- Payment links (docs/contract/payment-links.md), and how commits of charges count in them.
--
-- A link's document lacks its counts: payments, paid_amount, pending. Many payments may raise them at once, so no decision is made
-- on them, and the text of an event is the document with the counts that its own commit writes
-- (docs/decisions/0112-links-count-in-the-commit.md).

-- Keeps a new link, and saves the answer.
--   change: as requests.check takes it, and id, linksMax, fields, retentionMillis (of the answer)
-- Reply {'created'}
-- Refusals {'limit'}: the seller has linksMax links of the mode; and those of requests.check
function payment_links.create(key, change, document, answer)
  local refusal = requests.check(key, change, now_millis())
  if refusal then
    return refusal[4] == 'own' and { 'created' } or refusal
  end
  if redis.call('ZCARD', key.index) >= change.linksMax then
    return { 'limit' }
  end
  redis.call('HSET', key.paymentLink, 'document', document)
  set_fields(key.paymentLink, change.fields)
  redis.call('ZADD', key.index, '0', change.id)
  redis.call('ZADD', key.stateIndex, '0', change.id)
  requests.save(key, change, 201, 'body', answer)
  redis.call('PEXPIRE', key.idempotency, integer(change.retentionMillis))
  return { 'created' }
end

-- Changes what a seller decides of a link; its counts stay.
--   change: id, version (that it was decided on), fields
-- Reply {'applied'}
-- Refusals {'missing'}  {'stale'}: its version has changed
function payment_links.change(key, change, document)
  local version = redis.call('HGET', key.paymentLink, 'version')
  if not version then
    return { 'missing' }
  end
  if tonumber(version) ~= change.version then
    return { 'stale' }
  end
  redis.call('HSET', key.paymentLink, 'document', document)
  set_fields(key.paymentLink, change.fields)
  redis.call('HSET', key.paymentLink, 'version', change.version + 1)
  redis.call('ZREM', key.oldIndex, change.id)
  redis.call('ZADD', key.newIndex, '0', change.id)
  return { 'applied' }
end

-- Why a link takes no charge more: {'link_inactive'} (also where there is none) or {'link_full'}; nil if it takes one. A pending charge
-- keeps its place until it is paid or ends. Call it before the first write.
function payment_links.refusal(link)
  local record = redis.call('HMGET', link, 'active', 'payments_max', 'payments', 'pending')
  if record[1] ~= '1' then
    return { 'link_inactive' }
  end
  local most = tonumber(record[2])
  return most and tonumber(record[3]) + tonumber(record[4]) >= most and { 'link_full' } or nil
end

-- Counts a new charge as pending.
function payment_links.hold(link)
  redis.call('HSET', link, 'pending', integer(tonumber(redis.call('HGET', link, 'pending')) + 1))
end

-- Counts what became of a charge that was made through a link: a pending one is no longer, and a paid one is a payment, also beyond
-- payments_max, of which the feed is told.
--   change: that of charges.transition; its paymentLink has eventType and, where the charge is paid, amount (centavos)
function payment_links.settle(key, change, now)
  local record = redis.call('HMGET', key.paymentLink, 'document', 'payments', 'paid_amount', 'pending')
  if not record[1] then
    return
  end
  local payments, paid, pending = record[2], record[3], record[4]
  if change.charge.oldStatus == 'pending' then
    pending = integer(math.max(0, tonumber(pending) - 1))
  end
  local amount = change.paymentLink.amount
  if amount then
    payments, paid = integer(tonumber(payments) + 1), integer(tonumber(paid) + amount)
    local text = string.sub(record[1], 1, -2) .. ',"payments":' .. payments .. ',"paid_amount":' .. paid
      .. ',"pending_payments":' .. pending .. ',"transaction_id":"' .. change.charge.id .. '"}'
    local event = { type = change.paymentLink.eventType, isInternal = false, resource = change.paymentLink.id, data = text }
    events.append(key, change, event, now)
  end
  redis.call('HSET', key.paymentLink, 'payments', payments, 'paid_amount', paid, 'pending', pending)
end

-- Notes that a payment which a link has counted is deleted: the link's charges no longer add up to it.
function payment_links.note_gone(link, amount)
  if redis.call('EXISTS', link) == 1 then
    redis.call('HINCRBY', link, 'gone_payments', 1)
    redis.call('HINCRBY', link, 'gone_amount', amount)
  end
end
