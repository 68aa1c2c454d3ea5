-- Takes an Idempotency-Key for a while, before a partner is called (decisions 1).
-- KEYS  1 api key  2 seller  3 idempotency record  4 events
-- ARGV  1 seller id  2 fingerprint  3 execution  4 resource id  5 lease ms  6 retention ms
-- Reply {'claimed', resource id}: the id a dead execution had stored, so that the partner is asked under it again, or ours
-- Refusals {'key_invalid'} {'seller_not_allowed'} {'kyc_required'} {'mismatch'} {'in_progress'} {'replay', status, body}
local function claim_idempotency(keys, args)
  local now = now_millis()
  local refusal = check_request(keys[1], keys[2], args[1], keys[3], keys[4], args[2], args[3], now)
  if refusal then
    return refusal
  end
  local resource = redis.call('HGET', keys[3], 'resource') or args[4]
  redis.call(
    'HSET', keys[3], 'fingerprint', args[2], 'state', 'leased', 'execution', args[3],
    'lease_until', integer(now + tonumber(args[5])), 'resource', resource
  )
  redis.call('PEXPIRE', keys[3], args[6])
  return { 'claimed', resource }
end

redis.register_function('corrente_claim_idempotency', claim_idempotency)
