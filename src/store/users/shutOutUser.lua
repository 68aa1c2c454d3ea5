-- Ends all sessions of a user. A count of such ends voids what was issued before it: pending sign-ins, mailed links and trusted
-- devices. On request the user is disabled too: no password is the user's until `enableUser`.
-- ARGV.disabled_at: ms; '' = the user stays as it is
-- Reply {'shut_out'}
-- Refusals {'missing'}
local function shut_out_user(keys, args)
  if redis.call('EXISTS', KEYS.user) == 0 then
    return { 'missing' }
  end
  redis.call('HINCRBY', KEYS.user, 'sign_outs', 1)
  if ARGV.disabled_at ~= '' then
    redis.call('HSETNX', KEYS.user, 'disabled_at', ARGV.disabled_at)
  end
  end_sessions(KEYS.sessions, ARGV.session_prefix)
  return { 'shut_out' }
end

redis.register_function('corrente_shut_out_user', shut_out_user)
