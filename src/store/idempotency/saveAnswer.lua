-- Saves an error response under an Idempotency-Key (docs/contract/README.md#idempotency).
-- Reply {'saved'}
-- Refusals {'key_invalid'} {'seller_not_allowed'} {'kyc_required'} {'mismatch'} {'in_progress'} {'replay', status, body}
local function save_answer(keys, args)
  local refusal = check_request(KEYS.api_key, KEYS.seller, ARGV.seller_id, KEYS.idempotency, KEYS.events, ARGV.fingerprint, ARGV.execution, now_millis())
  if refusal then
    return refusal[4] == 'own' and { 'saved' } or refusal
  end
  redis.call(
    'HSET', KEYS.idempotency, 'fingerprint', ARGV.fingerprint, 'state', 'done', 'execution', ARGV.execution, 'status', ARGV.status, 'body', ARGV.body
  )
  redis.call('PEXPIRE', KEYS.idempotency, ARGV.retention_millis)
  return { 'saved' }
end

redis.register_function('corrente_save_answer', save_answer)
