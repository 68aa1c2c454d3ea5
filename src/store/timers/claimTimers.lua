-- Leases the due timers of a partition. A committed transition drops them; after a crash they fire again. A charge and its
-- seller's test clock offset come with their timer: firing it needs both.
-- Reply {ms until the next timer is due (-1 = none), when the leases end (ms),
--    then for each: member (`<resource id>:<name>`), seller, mode, status, version, document, account, clock offset in ms};
--    '' = none
local function claim_timers(keys, args)
  local now = now_millis()
  local due = redis.call('ZRANGEBYSCORE', KEYS.timers, '-inf', integer(now), 'LIMIT', 0, ARGV.timers_max)
  local lease_end = integer(now + tonumber(ARGV.lease_millis))
  local reply = { -1, lease_end }
  local offsets = {}
  for i = 1, #due do
    redis.call('ZADD', KEYS.timers, lease_end, due[i])
    local id = string.match(due[i], '^[^:]+')
    local charge = {}
    if string.sub(id, 1, 4) == 'txn_' then
      charge = redis.call('HMGET', ARGV.transaction_prefix .. id, 'seller', 'mode', 'status', 'version', 'document', 'account')
    end
    local seller = charge[1] or ''
    if charge[2] == 'test' and not offsets[seller] then
      offsets[seller] = redis.call('GET', ARGV.clock_prefix .. seller) or '0'
    end
    reply[#reply + 1] = due[i]
    for field = 1, 6 do
      reply[#reply + 1] = charge[field] or ''
    end
    reply[#reply + 1] = offsets[seller] or '0'
  end
  local next_timer = redis.call('ZRANGE', KEYS.timers, 0, 0, 'WITHSCORES')
  if next_timer[2] then
    reply[1] = math.max(0, tonumber(next_timer[2]) - now)
  end
  return reply
end

redis.register_function('corrente_claim_timers', claim_timers)
