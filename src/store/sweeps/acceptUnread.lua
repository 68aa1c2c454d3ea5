-- Lets sweeps of an account's books pass over an item that they cannot read. Where there is no room, those that no sweep reaches
-- any more make some.
-- ARGV.text: the item with the operator's reason
-- Reply {'applied'}, also for one that was accepted before
-- Refusals {'unknown'}: the last sweep did not meet it, {'full'}: too many are accepted
local function unreachable(accepted, until_millis)
  local digests = {}
  for i = 1, #accepted, 2 do
    if tonumber(string.match(accepted[i + 1], '^%d+')) <= until_millis then
      digests[#digests + 1] = accepted[i]
    end
  end
  return digests
end

local function accept_unread(keys, args)
  if redis.call('HEXISTS', KEYS.accepted, ARGV.digest) == 1 then
    return { 'applied' }
  end
  if redis.call('HEXISTS', KEYS.unread, ARGV.digest) == 0 then
    return { 'unknown' }
  end
  local now = now_millis()
  local forgotten = {}
  if redis.call('HLEN', KEYS.accepted) >= tonumber(ARGV.accepted_max) then
    forgotten = unreachable(redis.call('HGETALL', KEYS.accepted), now - tonumber(ARGV.kept_millis))
    if #forgotten == 0 then
      return { 'full' }
    end
  end
  redis.call('HSET', KEYS.accepted, ARGV.digest, integer(now) .. ' ' .. ARGV.text)
  redis.call('HDEL', KEYS.unread, ARGV.digest)
  local open = tonumber(redis.call('HGET', KEYS.sweep, 'unread') or '1')
  redis.call('HSET', KEYS.sweep, 'unread', integer(math.max(0, open - 1)))
  if #forgotten > 0 then
    redis.call('HDEL', KEYS.accepted, unpack(forgotten))
  end
  return { 'applied' }
end

redis.register_function('corrente_accept_unread', accept_unread)
