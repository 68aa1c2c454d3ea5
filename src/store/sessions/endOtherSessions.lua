-- Ends all sessions of a user except one.
-- ARGV.token_hash: of the session that stays
-- Reply {'ended', how many}
local function end_other_sessions(keys, args)
  local stays = current_session(ARGV.session_prefix .. ARGV.token_hash)
  local hashes = redis.call('ZRANGE', KEYS.sessions, 0, -1)
  local ended = 0
  for i = 1, #hashes do
    if ARGV.session_prefix .. hashes[i] ~= stays then
      redis.call('ZREM', KEYS.sessions, hashes[i])
      ended = ended + redis.call('DEL', ARGV.session_prefix .. hashes[i])
    end
  end
  return { 'ended', integer(ended) }
end

redis.register_function('corrente_end_other_sessions', end_other_sessions)
