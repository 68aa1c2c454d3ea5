-- Records which version of the terms a user accepted.
-- Reply {'accepted'}
-- Refusals {'missing'}
local function accept_terms(keys, args)
  if redis.call('EXISTS', KEYS.user) == 0 then
    return { 'missing' }
  end
  redis.call('HSET', KEYS.user, 'terms_version', ARGV.version, 'updated_at', ARGV.now)
  return { 'accepted' }
end

redis.register_function('corrente_accept_terms', accept_terms)
