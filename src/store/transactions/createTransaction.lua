-- Commits a new charge: hash, indexes, event, deliveries owed, timers and idempotency record, or nothing.
-- KEYS  1 api key  2 seller  3 idempotency record  4 transaction  5 index  6 index of its status
--       7 events  8 feed  9 subscriptions  10 timers  11 due
-- ARGV  1 seller id  2 mode  3 transaction id  4 status  5 document  6 event type  7 internal ('1'/'0')
--       8 fingerprint  9 execution  10 idempotency retention ms  11 event retention ms
--       12 hint channel  13 wake channel  14 queue prefix  15 number of timers, then pairs (name, due ms),
--       then the partner account ('' or left out = none)
-- Reply {'created'}
-- Refusals {'key_invalid'} {'seller_not_allowed'} {'kyc_required'} {'mismatch'} {'in_progress'} {'replay', status, body}
local function create_transaction(keys, args)
  local now = now_millis()
  local refusal = check_request(keys[1], keys[2], args[1], keys[3], keys[7], args[8], args[9], now)
  if refusal then
    return refusal[4] == 'own' and { 'created' } or refusal
  end
  local timers = tonumber(args[15])
  check_timers(args, 16, timers)

  redis.call('HSET', keys[4], 'document', args[5])
  local entry = append_event(
    { events = keys[7], feed = keys[8], subscriptions = keys[9], hint = args[12] },
    { type = args[6], resource = args[3], internal = args[7], data = args[5] },
    { due = keys[11], wake = args[13], queue_prefix = args[14] },
    tonumber(args[11]), now
  )
  redis.call(
    'HSET', keys[4], 'seller', args[1], 'mode', args[2], 'status', args[4], 'version', 1, 'events', entry
  )
  local account = args[16 + 2 * timers]
  if account and account ~= '' then
    redis.call('HSET', keys[4], 'account', account)
  end
  redis.call('ZADD', keys[5], 0, args[3])
  redis.call('ZADD', keys[6], 0, args[3])
  set_timers(keys[10], args[13], args[3], args, 16, timers)
  redis.call(
    'HSET', keys[3], 'fingerprint', args[8], 'state', 'done', 'execution', args[9], 'status', 201,
    'resource', args[3], 'entry', entry
  )
  redis.call('PEXPIRE', keys[3], args[10])
  return { 'created' }
end

redis.register_function('corrente_create_transaction', create_transaction)
