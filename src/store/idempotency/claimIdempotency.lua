-- Leases an Idempotency-Key before the acquirer is called (docs/contract/README.md#idempotency).
-- Reply {'claimed', resource id}: our id, or the one that a crashed execution drew, so that the acquirer is asked about
--   that one
-- Refusals {'key_invalid'} {'seller_not_allowed'} {'kyc_required'} {'mismatch'} {'in_progress'} {'replay', status, body}
local function claim_idempotency(keys, args)
  local now = now_millis()
  local refusal = check_request(KEYS.api_key, KEYS.seller, ARGV.seller_id, KEYS.idempotency, KEYS.events, ARGV.fingerprint, ARGV.execution, now)
  if refusal then
    return refusal
  end
  local resource = redis.call('HGET', KEYS.idempotency, 'resource') or ARGV.resource_id
  redis.call(
    'HSET', KEYS.idempotency, 'fingerprint', ARGV.fingerprint, 'state', 'leased', 'execution', ARGV.execution,
    'lease_until', integer(now + tonumber(ARGV.lease_millis)), 'resource', resource
  )
  redis.call('PEXPIRE', KEYS.idempotency, ARGV.retention_millis)
  return { 'claimed', resource }
end

redis.register_function('corrente_claim_idempotency', claim_idempotency)
