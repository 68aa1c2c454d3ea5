-- Reads what an Idempotency-Key holds, for a request about to be refused: a saved response takes precedence.
-- Reply {'none'}
-- Refusals {'key_invalid'} {'seller_not_allowed'} {'kyc_required'} {'mismatch'} {'in_progress'} {'replay', status, body}
local function peek_idempotency(keys, args)
  local found = check_request(KEYS.api_key, KEYS.seller, ARGV.seller_id, KEYS.idempotency, KEYS.events, ARGV.fingerprint, ARGV.execution, now_millis())
  return found or { 'none' }
end

redis.register_function({
  function_name = 'corrente_peek_idempotency', callback = peek_idempotency, flags = { 'no-writes' }
})
