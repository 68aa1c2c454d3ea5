-- Marks an operator as disabled, provided that another one is not: so operators who disable each other at the same time leave
-- one of them.
-- ARGV.other_id: an operator who is enabled, as far as the caller has seen
-- Reply {'marked'}
-- Refusals {'other_disabled'}
local function disable_operator(keys, args)
  if redis.call('SISMEMBER', KEYS.disabled, ARGV.other_id) == 1 then
    return { 'other_disabled' }
  end
  redis.call('SADD', KEYS.disabled, ARGV.operator_id)
  return { 'marked' }
end

redis.register_function('corrente_disable_operator', disable_operator)
