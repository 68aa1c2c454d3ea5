-- Gives a user new backup codes; the old ones end.
-- KEYS  1 user  2 backup codes
-- ARGV  1 password hash that was verified  2... what is stored of the codes
-- Reply {'replaced'}
-- Refusals {'password_changed'}: also where the user is gone  {'off'}
local function replace_backup_codes(keys, args)
  if not password_is(keys[1], args[1]) then
    return { 'password_changed' }
  end
  if redis.call('HGET', keys[1], 'two_factor_enabled') ~= '1' then
    return { 'off' }
  end
  redis.call('DEL', keys[2])
  redis.call('SADD', keys[2], unpack(args, 2))
  return { 'replaced' }
end

redis.register_function('corrente_replace_backup_codes', replace_backup_codes)
