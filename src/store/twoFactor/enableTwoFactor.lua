-- Begins to turn a user's second factor on: keeps the secret to be, and its backup codes; verify-totp completes it.
-- Asked again before that, it starts anew: the earlier secret and codes are gone.
-- KEYS  1 user  2 backup codes
-- ARGV  1 password hash that was verified  2 ciphertext of the secret  3 now (ms)  4 id of the session that asks
--       5... what is stored of the codes
-- Reply {'enabling'}
-- Refusals {'password_changed'}: also where the user is gone  {'on'}
local function enable_two_factor(keys, args)
  if not password_is(keys[1], args[1]) then
    return { 'password_changed' }
  end
  if redis.call('HGET', keys[1], 'two_factor_enabled') == '1' then
    return { 'on' }
  end
  if not args[5] then
    error('there are no backup codes')
  end
  redis.call('DEL', keys[2])
  redis.call('SADD', keys[2], unpack(args, 5))
  redis.call('HSET', keys[1], 'totp_secret_pending', args[2], 'updated_at', args[3], 'backup_codes_session', args[4])
  return { 'enabling' }
end

redis.register_function('corrente_enable_two_factor', enable_two_factor)
