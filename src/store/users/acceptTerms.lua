-- Notes which terms a user accepted, where the user is there.
-- KEYS  1 user
-- ARGV  1 version  2 now (ms)
-- Reply {'accepted'}
-- Refusals {'missing'}
local function accept_terms(keys, args)
  if redis.call('EXISTS', keys[1]) == 0 then
    return { 'missing' }
  end
  redis.call('HSET', keys[1], 'terms_version', args[1], 'updated_at', args[2])
  return { 'accepted' }
end

redis.register_function('corrente_accept_terms', accept_terms)
