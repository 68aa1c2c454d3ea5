-- Begins to turn a user's second factor on: keeps the secret to be, and its backup codes; verify-totp completes it.
-- Asked again before that, it starts anew: the earlier secret and codes are gone.
-- ARGV.password_hash: password hash that was verified
-- Reply {'enabling'}
-- Refusals {'password_changed'}: also where the user is gone  {'on'}
local function enable_two_factor(keys, args)
  if not password_is(KEYS.user, ARGV.password_hash) then
    return { 'password_changed' }
  end
  if redis.call('HGET', KEYS.user, 'two_factor_enabled') == '1' then
    return { 'on' }
  end
  if not args[ARGV_FROM.codes] then
    error('there are no backup codes')
  end
  redis.call('DEL', KEYS.backup_codes)
  redis.call('SADD', KEYS.backup_codes, unpack(args, ARGV_FROM.codes))
  redis.call('HSET', KEYS.user, 'totp_secret_pending', ARGV.secret, 'updated_at', ARGV.now, 'backup_codes_session', ARGV.session_id)
  return { 'enabling' }
end

redis.register_function('corrente_enable_two_factor', enable_two_factor)
