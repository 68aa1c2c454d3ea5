-- Uses a token of verification: the user's e-mail address is verified from now on.
-- KEYS  1 token  2 user
-- ARGV  1 user id  2 now (ms)  3 operation
-- Reply {'verified'}
-- Refusals {'token_used'}: or it is another user's, or the user is gone
local function verify_email(keys, args)
  -- This very operation verified it, and its reply was lost.
  if redis.call('HGET', keys[2], 'verified_by') == args[3] then
    return { 'verified' }
  end
  if redis.call('HGET', keys[1], 'user') ~= args[1] or redis.call('EXISTS', keys[2]) == 0 then
    return { 'token_used' }
  end
  redis.call('HSET', keys[2], 'email_verified', '1', 'updated_at', args[2], 'verified_by', args[3])
  redis.call('DEL', keys[1])
  return { 'verified' }
end

redis.register_function('corrente_verify_email', verify_email)
