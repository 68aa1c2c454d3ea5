-- Gives a user new backup codes; the old ones end. The password alone is not enough: the session that asks must be
-- stepped up, and is remembered, because its own codes step it up no further.
-- KEYS  1 user  2 backup codes  3 session of the one who asks
-- ARGV  1 password hash that was verified  2 id of the session  3 now (ms)  4... what is stored of the codes
-- Reply {'replaced'}
-- Refusals {'password_changed'}: also where the user is gone  {'off'}  {'not_stepped_up'}
local function replace_backup_codes(keys, args)
  if not password_is(keys[1], args[1]) then
    return { 'password_changed' }
  end
  if redis.call('HGET', keys[1], 'two_factor_enabled') ~= '1' then
    return { 'off' }
  end
  if not is_stepped_up(keys[3], tonumber(args[3])) then
    return { 'not_stepped_up' }
  end
  if not args[4] then
    error('there are no backup codes')
  end
  redis.call('DEL', keys[2])
  redis.call('SADD', keys[2], unpack(args, 4))
  redis.call('HSET', keys[1], 'backup_codes_session', args[2])
  return { 'replaced' }
end

redis.register_function('corrente_replace_backup_codes', replace_backup_codes)
