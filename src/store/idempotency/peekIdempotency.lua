-- What stands under an Idempotency-Key, for a request that is about to be refused: an answer goes before a refusal.
-- KEYS  1 api key  2 seller  3 idempotency record  4 events
-- ARGV  1 seller id  2 fingerprint  3 execution
-- Reply {'none'}
-- Refusals {'key_invalid'} {'seller_not_allowed'} {'kyc_required'} {'mismatch'} {'in_progress'} {'replay', status, body}
local function peek_idempotency(keys, args)
  local found = check_request(keys[1], keys[2], args[1], keys[3], keys[4], args[2], args[3], now_millis())
  return found or { 'none' }
end

redis.register_function({
  function_name = 'corrente_peek_idempotency', callback = peek_idempotency, flags = { 'no-writes' }
})
