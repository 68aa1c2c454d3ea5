-- The checks that all writes under an API key share.

-- Whether the API key belongs to the seller and is not revoked at `now`. A dashboard session was checked before and passes
-- `apikey:{pNN}:session`, which is not the record of any key.
function requests.is_key_valid(api_key, seller_id, now)
  if string.sub(api_key, -8) == ':session' then
    return true
  end
  local record = redis.call('HMGET', api_key, 'seller', 'revoke_at')
  if record[1] ~= seller_id then
    return false
  end
  return not record[2] or record[2] == '' or tonumber(record[2]) > now
end

-- nil if the request may proceed; otherwise the reply that ends it.
--   {'replay', status, body, 'own'}: this execution has already committed, but its reply was lost
local function check_idempotency(key, request, now)
  local record = redis.call('HMGET', key.idempotency, 'fingerprint', 'state', 'execution', 'lease_until', 'status', 'body', 'entry')
  if not record[1] then
    return nil
  end
  if record[1] ~= request.fingerprint then
    return { 'mismatch' }
  end
  if record[2] == 'done' then
    local body = record[6]
    if record[7] then
      local found = redis.call('XRANGE', key.events, record[7], record[7])
      body = found[1] and found[1][2][10] or ''
    end
    return { 'replay', record[5], body, record[3] == request.execution and 'own' or '' }
  end
  if record[3] == request.execution or tonumber(record[4]) <= now then
    return nil
  end
  return { 'in_progress' }
end

-- Saves what a repeated request is answered by.
--   ...: further fields of the record and their values
function requests.save(key, request, status, ...)
  redis.call(
    'HSET', key.idempotency, 'fingerprint', request.fingerprint, 'state', 'done', 'execution', request.execution,
    'status', status, ...
  )
end

-- Checks a request, in this order: key, seller, KYC (live requires an approved one, docs/contract/sellers.md#kyc), idempotency
-- record. nil if it may proceed.
--   key: apiKey, seller, idempotency, events
--   request: sellerId, mode, fingerprint, execution
-- Refusals {'key_invalid'} {'seller_not_allowed'} {'kyc_required'} {'mismatch'} {'in_progress'} {'replay', status, body}
function requests.check(key, request, now)
  if not requests.is_key_valid(key.apiKey, request.sellerId, now) then
    return { 'key_invalid' }
  end
  local allowed = redis.call('HMGET', key.seller, 'status', 'kyc_status')
  if allowed[1] ~= 'active' then
    return { 'seller_not_allowed' }
  end
  if allowed[2] ~= 'approved' and request.mode == 'live' then
    return { 'kyc_required' }
  end
  return check_idempotency(key, request, now)
end
