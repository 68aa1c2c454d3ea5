-- Replaces a user's backup codes. The password is not enough: the session must be stepped up. Its id is stored, because a
-- session cannot step up with codes that it generated itself.
-- ARGV.password_hash: the one that was verified
-- ARGV_FROM.codes: hashes of the backup codes
-- Reply {'replaced'}
-- Refusals {'password_changed'}: or the user is gone  {'off'}  {'not_stepped_up'}
local function replace_backup_codes(keys, args)
  if not password_is(KEYS.user, ARGV.password_hash) then
    return { 'password_changed' }
  end
  if redis.call('HGET', KEYS.user, 'two_factor_enabled') ~= '1' then
    return { 'off' }
  end
  if not is_stepped_up(KEYS.session, tonumber(ARGV.now)) then
    return { 'not_stepped_up' }
  end
  if not args[ARGV_FROM.codes] then
    error('there are no backup codes')
  end
  redis.call('DEL', KEYS.backup_codes)
  redis.call('SADD', KEYS.backup_codes, unpack(args, ARGV_FROM.codes))
  redis.call('HSET', KEYS.user, 'backup_codes_session', ARGV.session_id)
  return { 'replaced' }
end

redis.register_function('corrente_replace_backup_codes', replace_backup_codes)
