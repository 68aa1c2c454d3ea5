-- Timers of a partition: sorted set `<resource id>:<name>` by due time in ms.

-- Publishes when a timer of a partition is due, for the process that runs its timers.
local function wake(timers_key, due_at)
  redis.call('PUBLISH', key_names.wake(tag_of(timers_key)), 't ' .. integer(due_at))
end

-- Raises an error unless each timer has a due time. Call it before the first write.
function timers.check(list)
  for _, timer in ipairs(list) do
    if type(timer.dueMillis) ~= 'number' then
      error('a timer has no due time')
    end
  end
end

-- Sets a resource's timers.
--   list: {name, dueMillis}
function timers.set(timers_key, resource_id, list)
  local soonest = nil
  for _, timer in ipairs(list) do
    redis.call('ZADD', timers_key, integer(timer.dueMillis), resource_id .. ':' .. timer.name)
    if soonest == nil or timer.dueMillis < soonest then
      soonest = timer.dueMillis
    end
  end
  if soonest ~= nil then
    wake(timers_key, soonest)
  end
end

-- Drops a resource's timers by name, then sets others, so that one may be dropped and set again.
function timers.change(timers_key, resource_id, list, dropped)
  for _, name in ipairs(dropped) do
    redis.call('ZREM', timers_key, resource_id .. ':' .. name)
  end
  timers.set(timers_key, resource_id, list)
end

-- Leases the due timers of a partition. A committed transition drops them; after a crash they fire again. A charge and its
-- seller's test clock offset come with their timer: firing it needs both.
--   change: timersMax, leaseMillis
-- Reply {ms until the next timer is due (-1 = none), when the leases end (ms),
--    then for each: member (`<resource id>:<name>`), seller, mode, status, version, document, account, customer, clock offset in ms};
--    '' = none
function timers.claim(key, change)
  local now = now_millis()
  local due = redis.call('ZRANGEBYSCORE', key.timers, '-inf', integer(now), 'LIMIT', 0, change.timersMax)
  local lease_end = integer(now + change.leaseMillis)
  local reply = { -1, lease_end }
  local tag = tag_of(key.timers)
  local offsets = {}
  for _, member in ipairs(due) do
    redis.call('ZADD', key.timers, lease_end, member)
    local id = string.match(member, '^[^:]+')
    local charge = {}
    if string.sub(id, 1, 4) == 'txn_' then
      charge = redis.call('HMGET', key_names.transaction(tag, id), 'seller', 'mode', 'status', 'version', 'document', 'account', 'customer')
    end
    local seller = charge[1] or ''
    if charge[2] == 'test' and not offsets[seller] then
      offsets[seller] = redis.call('GET', key_names.clock(tag, seller)) or '0'
    end
    reply[#reply + 1] = member
    for field = 1, 7 do
      reply[#reply + 1] = charge[field] or ''
    end
    reply[#reply + 1] = offsets[seller] or '0'
  end
  local next_timer = redis.call('ZRANGE', key.timers, 0, 0, 'WITHSCORES')
  if next_timer[2] then
    reply[1] = math.max(0, tonumber(next_timer[2]) - now)
  end
  return reply
end

-- Drops a timer with nothing left to do, unless it was claimed or set again since.
--   change: member, leaseEndMillis (of the caller's lease; absent: it drops the timer in any case)
-- Reply 1 if it dropped the timer, else 0
function timers.drop(key, change)
  if change.leaseEndMillis and tonumber(redis.call('ZSCORE', key.timers, change.member) or '') ~= change.leaseEndMillis then
    return 0
  end
  return redis.call('ZREM', key.timers, change.member)
end

-- Makes a leased timer fire again later, unless it was claimed or set again since.
--   change: member, leaseEndMillis (of the caller's lease), delayMillis
-- Reply when it is due (ms), 0 if it was claimed or set again
function timers.postpone(key, change)
  if tonumber(redis.call('ZSCORE', key.timers, change.member) or '') ~= change.leaseEndMillis then
    return 0
  end
  local due_at = now_millis() + change.delayMillis
  redis.call('ZADD', key.timers, integer(due_at), change.member)
  wake(key.timers, due_at)
  return integer(due_at)
end

-- Makes timers due earlier, if they are set. A leased one just fires again sooner, which does no harm.
--   change: millis, members (`<resource id>:<name>`)
-- Reply how many it moved
function timers.shift(key, change)
  local moved = 0
  local soonest = nil
  for _, member in ipairs(change.members) do
    local due = redis.call('ZSCORE', key.timers, member)
    if due then
      local earlier = math.max(0, tonumber(due) - change.millis)
      redis.call('ZADD', key.timers, integer(earlier), member)
      moved = moved + 1
      if soonest == nil or earlier < soonest then
        soonest = earlier
      end
    end
  end
  if soonest ~= nil then
    wake(key.timers, soonest)
  end
  return moved
end
