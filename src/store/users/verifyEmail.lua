-- Redeems a verification token: marks the user's e-mail address as verified.
-- ARGV.operation: names this request, so that a retry after a lost reply gets the same answer
-- Reply {'verified'}
-- Refusals {'token_used'}: or it is another user's, or the user is gone
local function verify_email(keys, args)
  -- This operation already verified it, but its reply was lost.
  if redis.call('HGET', KEYS.user, 'verified_by') == ARGV.operation then
    return { 'verified' }
  end
  if redis.call('HGET', KEYS.token, 'user') ~= ARGV.user_id or redis.call('EXISTS', KEYS.user) == 0 then
    return { 'token_used' }
  end
  redis.call('HSET', KEYS.user, 'email_verified', '1', 'updated_at', ARGV.now, 'verified_by', ARGV.operation)
  redis.call('DEL', KEYS.token)
  return { 'verified' }
end

redis.register_function('corrente_verify_email', verify_email)
