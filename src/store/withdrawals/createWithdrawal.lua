-- Commits a new withdrawal, or nothing: hash, indexes, held money, daily totals, event, owed deliveries, timers and
-- idempotency record.
-- KEYS.partition_index: the partition's index of this status
-- ARGV.day_value, ARGV.day_count: the day's totals that it was decided on
-- ARGV.pix_key_value: ciphertext
-- ARGV.account: acquirer account ('' = none)
-- ARGV_FROM.postings_then_timers: pairs (bucket, amount), then pairs (name, due in ms)
-- Reply {'created'}
-- Refusals {'stale'}: a precondition has changed, another withdrawal is open, the money is gone, or the balance would exceed
--     what it can hold
--   {'key_invalid'} {'seller_not_allowed'} {'kyc_required'} {'mismatch'} {'in_progress'} {'replay', status, body}
local function is_as_decided(keys, args)
  local seller_version = redis.call('HGET', KEYS.seller, 'version') or '0'
  if seller_version ~= ARGV.seller_version then
    return false
  end
  local pix_key = redis.call('HMGET', KEYS.pix_key, 'version', 'status', 'seller', 'mode')
  if pix_key[1] ~= ARGV.pix_key_version or pix_key[2] ~= 'verified' or pix_key[3] ~= ARGV.seller_id or pix_key[4] ~= ARGV.mode then
    return false
  end
  local day = redis.call('HMGET', KEYS.day, 'value', 'count')
  if (day[1] or '0') ~= ARGV.day_value or (day[2] or '0') ~= ARGV.day_count then
    return false
  end
  return (redis.call('HGET', KEYS.balance, 'open') or '') == '' and is_available(KEYS.balance, ARGV.total)
end

local function create_withdrawal(keys, args)
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
  check_timers(args, timers_from, timers)
  local after = is_as_decided(keys, args) and balance_after(KEYS.balance, movement)
  if not after then
    return { 'stale' }
  end

  redis.call('HSET', KEYS.withdrawal, 'document', ARGV.document)
  local entry = append_event(
    { events = KEYS.events, feed = KEYS.feed, subscriptions = KEYS.subscriptions, hint = ARGV.hint_channel },
    { type = ARGV.event_type, resource = ARGV.withdrawal_id, internal = '0', data = ARGV.document },
    { due = KEYS.due, wake = ARGV.wake_channel, queue_prefix = ARGV.queue_prefix },
    tonumber(ARGV.event_retention_millis), now
  )
  redis.call(
    'HSET', KEYS.withdrawal, 'seller', ARGV.seller_id, 'mode', ARGV.mode, 'status', ARGV.status, 'version', 1, 'events', entry,
    'pix_value', ARGV.pix_key_value, 'day', ARGV.day_text, 'idempotency_route', ARGV.idempotency_route, 'idempotency_key', ARGV.idempotency_key
  )
  if ARGV.account ~= '' then
    redis.call('HSET', KEYS.withdrawal, 'account', ARGV.account)
  end
  redis.call('ZADD', KEYS.index, 0, ARGV.withdrawal_id)
  redis.call('ZADD', KEYS.status_index, 0, ARGV.withdrawal_id)
  redis.call('ZADD', KEYS.partition_index, 0, ARGV.withdrawal_id)
  redis.call('HINCRBY', KEYS.day, 'value', ARGV.amount)
  redis.call('HINCRBY', KEYS.day, 'count', 1)
  redis.call('PEXPIRE', KEYS.day, ARGV.day_retention_millis)
  move_money({ balance = KEYS.balance, ledger = KEYS.ledger, after = after }, ARGV.withdrawal_id, entry, movement)
  redis.call('HSET', KEYS.balance, 'open', ARGV.withdrawal_id)
  set_timers(KEYS.timers, ARGV.wake_channel, ARGV.withdrawal_id, args, timers_from, timers)
  redis.call(
    'HSET', KEYS.idempotency, 'fingerprint', ARGV.fingerprint, 'state', 'done', 'execution', ARGV.execution, 'status', 201, 'body', ARGV.document
  )
  -- Kept until 24 h after the withdrawal ends (docs/contract/README.md#idempotency); its end sets the expiry.
  redis.call('PERSIST', KEYS.idempotency)
  return { 'created' }
end

redis.register_function('corrente_create_withdrawal', create_withdrawal)
