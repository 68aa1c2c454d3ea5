-- Ends a session because its browser has signed in anew: requests of the user that are under way go on as the new session.
-- KEYS.session: as it was found; it may have got another token since
-- ARGV.token_hash: of its token
-- ARGV.new_token_hash: of the new session's token
-- ARGV.grace: ms
-- Reply {'replaced'}
-- Refusals {'missing'}
local function replace_session(keys, args)
  local key = current_session(KEYS.session)
  local token_hash = key == KEYS.session and ARGV.token_hash or string.sub(key, #ARGV.session_prefix + 1)
  if not redis.call('ZSCORE', KEYS.sessions, token_hash) or token_hash == ARGV.new_token_hash then
    return { 'missing' }
  end
  lead_to(KEYS.sessions, { prefix = ARGV.session_prefix, token_hash = token_hash, new_token_hash = ARGV.new_token_hash, grace = ARGV.grace })
  return { 'replaced' }
end

redis.register_function('corrente_replace_session', replace_session)
