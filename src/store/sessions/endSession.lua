-- Ends one session of a user, found by its token's hash or by its id.
-- ARGV.token_hash: '' = find it by ARGV.session_id
-- Reply {'ended', hash of its token}
-- Refusals {'missing'}
local function end_session(keys, args)
  local hashes = redis.call('ZRANGE', KEYS.sessions, 0, -1)
  if ARGV.token_hash ~= '' then
    local key = current_session(ARGV.session_prefix .. ARGV.token_hash)
    hashes = { string.sub(key, #ARGV.session_prefix + 1) }
  end
  for i = 1, #hashes do
    local key = ARGV.session_prefix .. hashes[i]
    if ARGV.token_hash ~= '' or redis.call('HGET', key, 'id') == ARGV.session_id then
      redis.call('ZREM', KEYS.sessions, hashes[i])
      if redis.call('DEL', key) == 1 then
        return { 'ended', hashes[i] }
      end
    end
  end
  return { 'missing' }
end

redis.register_function('corrente_end_session', end_session)
