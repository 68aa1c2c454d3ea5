-- Ends all sessions of a user but one.
-- KEYS  1 sessions
-- ARGV  1 session prefix  2 hash of the token of the one that stays
-- Reply {'ended', how many}
local function end_other_sessions(keys, args)
  local hashes = redis.call('ZRANGE', keys[1], 0, -1)
  local ended = 0
  for i = 1, #hashes do
    if hashes[i] ~= args[2] then
      redis.call('ZREM', keys[1], hashes[i])
      ended = ended + redis.call('DEL', args[1] .. hashes[i])
    end
  end
  return { 'ended', integer(ended) }
end

redis.register_function('corrente_end_other_sessions', end_other_sessions)
