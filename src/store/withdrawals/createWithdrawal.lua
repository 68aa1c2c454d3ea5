-- Commits a new withdrawal: hash, indexes, held money, day, event, deliveries owed, timers and idempotency record, or nothing.
-- KEYS  1 api key  2 seller  3 idempotency record  4 events  5 feed  6 subscriptions  7 due  8 timers
--       9 withdrawal  10 index  11 index of its status  12 the partition's index of its status
--       13 day  14 balance  15 ledger  16 pix key
-- ARGV  1 seller id  2 mode  3 withdrawal id  4 status  5 document  6 event type
--       7 fingerprint  8 execution  9 event retention ms  10 hint channel  11 wake channel  12 queue prefix
--       13 version of the seller  14 version of the PIX key  15 value and 16 count of the day: what it was decided on
--       17 amount  18 total  19 day  20 ciphertext of the PIX key's value
--       21 route and 22 key of the idempotency record  23 how long a day is kept in ms
--       24 number of timers  25 partner account ('' = none)  26 a movement (prelude_money.lua), then pairs (name, due ms)
-- Reply {'created'}
-- Refusals {'stale'}: what it was decided on has changed, another is open, the money is not there, or a balance would
--       pass what it can hold
--       {'key_invalid'} {'seller_not_allowed'} {'kyc_required'} {'mismatch'} {'in_progress'} {'replay', status, body}
local function is_as_decided(keys, args)
  local seller_version = redis.call('HGET', keys[2], 'version') or '0'
  if seller_version ~= args[13] then
    return false
  end
  local pix_key = redis.call('HMGET', keys[16], 'version', 'status', 'seller', 'mode')
  if pix_key[1] ~= args[14] or pix_key[2] ~= 'verified' or pix_key[3] ~= args[1] or pix_key[4] ~= args[2] then
    return false
  end
  local day = redis.call('HMGET', keys[13], 'value', 'count')
  if (day[1] or '0') ~= args[15] or (day[2] or '0') ~= args[16] then
    return false
  end
  return (redis.call('HGET', keys[14], 'open') or '') == '' and is_available(keys[14], args[18])
end

local function create_withdrawal(keys, args)
  local now = now_millis()
  local refusal = check_request(keys[1], keys[2], args[1], keys[3], keys[4], args[7], args[8], now)
  if refusal then
    return refusal[4] == 'own' and { 'created' } or refusal
  end
  local timers_from, timers = after_movement(args, 26), tonumber(args[24])
  check_timers(args, timers_from, timers)
  local after = is_as_decided(keys, args) and balance_after(keys[14], args, 26)
  if not after then
    return { 'stale' }
  end

  redis.call('HSET', keys[9], 'document', args[5])
  local entry = append_event(
    { events = keys[4], feed = keys[5], subscriptions = keys[6], hint = args[10] },
    { type = args[6], resource = args[3], internal = '0', data = args[5] },
    { due = keys[7], wake = args[11], queue_prefix = args[12] },
    tonumber(args[9]), now
  )
  redis.call(
    'HSET', keys[9], 'seller', args[1], 'mode', args[2], 'status', args[4], 'version', 1, 'events', entry,
    'pix_value', args[20], 'day', args[19], 'idempotency_route', args[21], 'idempotency_key', args[22]
  )
  if args[25] ~= '' then
    redis.call('HSET', keys[9], 'account', args[25])
  end
  redis.call('ZADD', keys[10], 0, args[3])
  redis.call('ZADD', keys[11], 0, args[3])
  redis.call('ZADD', keys[12], 0, args[3])
  redis.call('HINCRBY', keys[13], 'value', args[17])
  redis.call('HINCRBY', keys[13], 'count', 1)
  redis.call('PEXPIRE', keys[13], args[23])
  move_money({ balance = keys[14], ledger = keys[15], after = after }, args[3], entry, args, 26)
  redis.call('HSET', keys[14], 'open', args[3])
  set_timers(keys[8], args[11], args[3], args, timers_from, timers)
  redis.call(
    'HSET', keys[3], 'fingerprint', args[7], 'state', 'done', 'execution', args[8], 'status', 201, 'body', args[5]
  )
  -- Until it is over, and a day (decisions 1): its end sets the time.
  redis.call('PERSIST', keys[3])
  return { 'created' }
end

redis.register_function('corrente_create_withdrawal', create_withdrawal)
