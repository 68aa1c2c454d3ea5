-- Counts a try of a user's second factor before its code is checked, in whichever process
-- (docs/decisions/0056-wrong-codes-wait.md). A correct code resets the counts (use_factor).
-- ARGV.tries_max: tries in a row from where on each makes the next one wait
-- ARGV.kind: where the code is sent, which has a count of its own: 'session', 'known' or 'stranger'
-- ARGV.first_wait, ARGV.longest_wait: ms; each wait is twice the one before
-- ARGV.holder_max: tries in a row of the holder, which is the pending sign-in or the session
-- Reply {'begun', tries in a row}; 0 if the user is gone
-- Refusals {'wait', ms}  {'spent'}: the holder has had its tries
local function begin_factor_try(keys, args)
  if redis.call('EXISTS', KEYS.user) == 0 then
    return { 'begun', '0' }
  end
  local most = tonumber(ARGV.tries_max)
  local now, count_name, until_name = tonumber(ARGV.now), ARGV.kind .. '_tries', ARGV.kind .. '_tries_until'
  local holder = redis.call('HMGET', KEYS.holder, 'user', 'tries')
  if (tonumber(holder[2] or '') or 0) >= tonumber(ARGV.holder_max) then
    return { 'spent' }
  end
  local wait = (tonumber(redis.call('HGET', KEYS.user, until_name) or '') or 0) - now
  if wait > 0 then
    return { 'wait', integer(wait) }
  end
  local count = redis.call('HINCRBY', KEYS.user, count_name, 1)
  if count >= most then
    local next_wait = math.min(tonumber(ARGV.first_wait) * 2 ^ math.min(count - most, 40), tonumber(ARGV.longest_wait))
    redis.call('HSET', KEYS.user, until_name, integer(now + next_wait))
  end
  if holder[1] then
    redis.call('HINCRBY', KEYS.holder, 'tries', 1)
    redis.call('HSET', KEYS.holder, 'tried_as', ARGV.kind)
  end
  return { 'begun', integer(count) }
end

redis.register_function('corrente_begin_factor_try', begin_factor_try)
