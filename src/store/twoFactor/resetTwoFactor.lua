-- Gives an operator a second factor, in place of the one before, and ends all its sessions (ops admin reset-two-factor). A retry
-- writes the same again.
-- ARGV.secret: ciphertext
-- ARGV_FROM.codes: hashes of the backup codes
-- Reply {'reset'}
-- Refusals {'no_operator'}: the user is gone, or a seller's
local function reset_two_factor(keys, args)
  if redis.call('HGET', KEYS.user, 'role') ~= 'admin' then
    return { 'no_operator' }
  end
  if not args[ARGV_FROM.codes] then
    error('there are no backup codes')
  end
  forget_factor(KEYS.user, KEYS.backup_codes)
  redis.call('HSET', KEYS.user, 'totp_secret', ARGV.secret, 'two_factor_enabled', '1', 'updated_at', ARGV.now)
  redis.call('SADD', KEYS.backup_codes, unpack(args, ARGV_FROM.codes))
  end_sessions(KEYS.sessions, ARGV.session_prefix)
  return { 'reset' }
end

redis.register_function('corrente_reset_two_factor', reset_two_factor)
