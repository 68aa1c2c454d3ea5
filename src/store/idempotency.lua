-- Idempotency-Keys (docs/contract/README.md#idempotency).

-- Leases a key before the acquirer is called.
--   change: as requests.check takes it, and resourceId, leaseMillis, retentionMillis
-- Reply {'claimed', resource id}: ours, or the one that a crashed execution drew, so that the acquirer is asked about that one
-- Refusals those of requests.check
function idempotency.claim(key, change)
  local now = now_millis()
  local refusal = requests.check(key, change, now)
  if refusal then
    return refusal
  end
  local resource = redis.call('HGET', key.idempotency, 'resource') or change.resourceId
  redis.call(
    'HSET', key.idempotency, 'fingerprint', change.fingerprint, 'state', 'leased', 'execution', change.execution,
    'lease_until', now + change.leaseMillis, 'resource', resource
  )
  redis.call('PEXPIRE', key.idempotency, integer(change.retentionMillis))
  return { 'claimed', resource }
end

-- Reads what a key holds, for a request about to be refused: a saved response takes precedence.
--   change: as requests.check takes it
-- Reply {'none'}
-- Refusals those of requests.check
function idempotency.peek(key, change)
  return requests.check(key, change, now_millis()) or { 'none' }
end

-- Saves an error response under a key.
--   change: as requests.check takes it, and status, retentionMillis
-- Reply {'saved'}
-- Refusals those of requests.check
function idempotency.save_answer(key, change, body)
  local refusal = requests.check(key, change, now_millis())
  if refusal then
    return refusal[4] == 'own' and { 'saved' } or refusal
  end
  requests.save(key, change, change.status, 'body', body)
  redis.call('PEXPIRE', key.idempotency, integer(change.retentionMillis))
  return { 'saved' }
end
