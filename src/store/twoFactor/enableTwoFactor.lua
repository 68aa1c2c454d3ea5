-- Starts turning a user's second factor on: stores the pending secret and its backup codes, which replace those of an
-- earlier start. verify-totp completes it (docs/contract/accounts.md#two-factor).
-- ARGV.password_hash: the one that was verified
-- ARGV.secret: ciphertext
-- ARGV_FROM.codes: hashes of the backup codes
-- Reply {'enabling'}
-- Refusals {'password_changed'}: or the user is gone  {'on'}
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
