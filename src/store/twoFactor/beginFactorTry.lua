-- Counts a try of a user's second factor before its code is checked, in whichever process
-- (docs/decisions/0056-wrong-codes-lock.md). A correct code resets the count (use_factor).
-- Reply {'begun', tries since the last correct code}; 0 if the user is gone
-- Refusals {'locked'}
local function begin_factor_try(keys, args)
  local record = redis.call('HMGET', KEYS.user, 'id', 'factor_tries')
  if not record[1] then
    return { 'begun', '0' }
  end
  if (tonumber(record[2] or '') or 0) >= tonumber(ARGV.tries_max) then
    return { 'locked' }
  end
  return { 'begun', integer(redis.call('HINCRBY', KEYS.user, 'factor_tries', 1)) }
end

redis.register_function('corrente_begin_factor_try', begin_factor_try)
