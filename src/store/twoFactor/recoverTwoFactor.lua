-- Uses a token of recovery: the user's second factor is off, and all its sessions end.
-- KEYS  1 token  2 user  3 backup codes  4 sessions
-- ARGV  1 user id  2 session prefix  3 now (ms)  4 operation
-- Reply {'recovered'}
-- Refusals {'token_used'}: or it is another user's, or the user is gone
local function recover_two_factor(keys, args)
  -- This very operation turned it off, and its reply was lost.
  if redis.call('HGET', keys[2], 'recovered_by') == args[4] then
    return { 'recovered' }
  end
  if redis.call('HGET', keys[1], 'user') ~= args[1] or redis.call('EXISTS', keys[2]) == 0 then
    return { 'token_used' }
  end
  forget_factor(keys[2], keys[3])
  redis.call(
    'HSET', keys[2], 'two_factor_enabled', '0', 'updated_at', args[3], 'recovered_by', args[4]
  )
  redis.call('DEL', keys[1])
  end_sessions(keys[4], args[2])
  return { 'recovered' }
end

redis.register_function('corrente_recover_two_factor', recover_two_factor)
