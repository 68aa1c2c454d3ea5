-- Codes that are mailed to a user who turns a second factor on (docs/contract/accounts.md#mailed-code).

-- Stores a code that is about to be mailed, in place of the one before.
--   change: code (its HMAC), binding (of the user's password; a new password begins a new count of mails), now, lifeMillis,
--     pauseMillis, codesMax, windowMillis
-- Reply {'issued'}
-- Refusals {'recent'}: one was mailed less than `pauseMillis` ago, and stands
--   {'too_many', ms until the window ends}: `codesMax` were mailed in it
function mail_codes.issue(key, change)
  local now = change.now
  local known = redis.call('HMGET', key.mailCode, 'binding', 'code', 'sent_at', 'sent', 'window_ends')
  local sent, window_ends = tonumber(known[4] or ''), tonumber(known[5] or '')
  if known[1] ~= change.binding or not window_ends or window_ends <= now then
    sent, window_ends = 0, now + change.windowMillis
    redis.call('DEL', key.mailCode)
  elseif known[2] == change.code then
    -- This operation already stored it, but its reply was lost.
    return { 'issued' }
  elseif known[2] and now - tonumber(known[3]) < change.pauseMillis then
    return { 'recent' }
  elseif sent >= change.codesMax then
    return { 'too_many', integer(window_ends - now) }
  end
  local expires_at = now + change.lifeMillis
  set_fields(key.mailCode, {
    binding = change.binding,
    code = change.code,
    sent_at = now,
    expires_at = expires_at,
    wrong = 0,
    sent = sent + 1,
    window_ends = window_ends,
  })
  redis.call('PEXPIREAT', key.mailCode, math.max(window_ends, expires_at))
  return { 'issued' }
end

-- Uses up a mailed code, or counts a wrong one.
--   change: code (the HMAC of what was sent), binding (of the user's password), now, triesMax, operation (names this request, so
--     that a retry after a lost reply gets the same answer)
-- Reply {'used'}
-- Refusals {'wrong'}: not the code that counts, or none counts: never sent, used, expired, or tried too often
function mail_codes.use(key, change)
  local known = redis.call('HMGET', key.mailCode, 'binding', 'code', 'expires_at', 'wrong', 'used_by')
  if known[5] == change.operation then
    return { 'used' }
  end
  local counts = known[1] == change.binding
    and known[2]
    and tonumber(known[3]) > change.now
    and tonumber(known[4]) < change.triesMax
  if not counts then
    return { 'wrong' }
  end
  if known[2] ~= change.code then
    redis.call('HINCRBY', key.mailCode, 'wrong', 1)
    return { 'wrong' }
  end
  redis.call('HDEL', key.mailCode, 'code')
  redis.call('HSET', key.mailCode, 'used_by', change.operation)
  return { 'used' }
end
