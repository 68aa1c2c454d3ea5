-- Ends one session of a user, found by its token's hash or by its id.
-- KEYS  1 sessions
-- ARGV  1 session prefix  2 hash of the token ('' = by id)  3 session id
-- Reply {'ended', hash of its token}
-- Refusals {'missing'}
local function end_session(keys, args)
  local hashes = args[2] ~= '' and { args[2] } or redis.call('ZRANGE', keys[1], 0, -1)
  for i = 1, #hashes do
    local key = args[1] .. hashes[i]
    if args[2] ~= '' or redis.call('HGET', key, 'id') == args[3] then
      redis.call('ZREM', keys[1], hashes[i])
      if redis.call('DEL', key) == 1 then
        return { 'ended', hashes[i] }
      end
    end
  end
  return { 'missing' }
end

redis.register_function('corrente_end_session', end_session)
