-- Saves an error answer under an Idempotency-Key: partner errors and business refusals (decisions 1).
-- KEYS  1 api key  2 seller  3 idempotency record  4 events
-- ARGV  1 seller id  2 fingerprint  3 execution  4 status  5 body  6 retention ms
-- Reply {'saved'}
-- Refusals {'key_invalid'} {'seller_not_allowed'} {'kyc_required'} {'mismatch'} {'in_progress'} {'replay', status, body}
local function save_answer(keys, args)
  local refusal = check_request(keys[1], keys[2], args[1], keys[3], keys[4], args[2], args[3], now_millis())
  if refusal then
    return refusal[4] == 'own' and { 'saved' } or refusal
  end
  redis.call(
    'HSET', keys[3], 'fingerprint', args[2], 'state', 'done', 'execution', args[3], 'status', args[4], 'body', args[5]
  )
  redis.call('PEXPIRE', keys[3], args[6])
  return { 'saved' }
end

redis.register_function('corrente_save_answer', save_answer)
