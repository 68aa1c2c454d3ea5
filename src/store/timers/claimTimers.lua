-- Leases the due timers of a partition; a committed transition drops them, a crash lets them fire again. Charges and how far
-- their sellers' clocks of test mode are come with their timers: who fires them needs both.
-- KEYS  1 timers
-- ARGV  1 most timers to take  2 lease ms  3 prefix of charges  4 prefix of clocks
-- Reply {ms until the next timer is due (-1 = none), end of the leases in ms,
--        then of each: member, seller, mode, status, version, document, account, clock offset in ms}
--       A member is `<resource id>:<name>`. What does not exist is ''.
local function claim_timers(keys, args)
  local now = now_millis()
  local due = redis.call('ZRANGEBYSCORE', keys[1], '-inf', integer(now), 'LIMIT', 0, args[1])
  local lease_end = integer(now + tonumber(args[2]))
  local reply = { -1, lease_end }
  local offsets = {}
  for i = 1, #due do
    redis.call('ZADD', keys[1], lease_end, due[i])
    local id = string.match(due[i], '^[^:]+')
    local charge = {}
    if string.sub(id, 1, 4) == 'txn_' then
      charge = redis.call('HMGET', args[3] .. id, 'seller', 'mode', 'status', 'version', 'document', 'account')
    end
    local seller = charge[1] or ''
    if charge[2] == 'test' and not offsets[seller] then
      offsets[seller] = redis.call('GET', args[4] .. seller) or '0'
    end
    reply[#reply + 1] = due[i]
    for field = 1, 6 do
      reply[#reply + 1] = charge[field] or ''
    end
    reply[#reply + 1] = offsets[seller] or '0'
  end
  local next_timer = redis.call('ZRANGE', keys[1], 0, 0, 'WITHSCORES')
  if next_timer[2] then
    reply[1] = math.max(0, tonumber(next_timer[2]) - now)
  end
  return reply
end

redis.register_function('corrente_claim_timers', claim_timers)
