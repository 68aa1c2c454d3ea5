-- Gives a user another name.
-- Reply {'renamed'}
-- Refusals {'missing'}
local function rename_user(keys, args)
  if redis.call('EXISTS', KEYS.user) == 0 then
    return { 'missing' }
  end
  redis.call('HSET', KEYS.user, 'name', ARGV.name, 'updated_at', ARGV.now)
  return { 'renamed' }
end

redis.register_function('corrente_rename_user', rename_user)
