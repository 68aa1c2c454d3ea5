-- Leases on partitions, and on what else one process at a time does (docs/decisions/0006-partition-leases.md). A lease is a
-- string: the process that holds it.

-- Takes or renews leases. Advisory only: claims are fenced.
--   change: processId, leaseMillis
-- Reply {1 if the process holds it now, else 0, for each}
function partitions.hold(key, change)
  local reply = {}
  for i, owner_key in ipairs(key.owners) do
    local owner = redis.call('GET', owner_key)
    if owner and owner ~= change.processId then
      reply[i] = 0
    else
      redis.call('SET', owner_key, change.processId, 'PX', change.leaseMillis)
      reply[i] = 1
    end
  end
  return reply
end

-- Gives up a lease.
--   change: processId
-- Reply 1 if the process held it, else 0
function partitions.release(key, change)
  if redis.call('GET', key.owner) ~= change.processId then
    return 0
  end
  redis.call('DEL', key.owner)
  return 1
end

-- Tells when the first member of each queue is due: timers and destinations of partitions.
-- Reply {ms until then (0 = now, -1 = none), for each}
function partitions.next_due(key)
  local now = now_millis()
  local reply = {}
  for i, queue in ipairs(key.queues) do
    local first = redis.call('ZRANGE', queue, 0, 0, 'WITHSCORES')
    reply[i] = first[2] and math.max(0, tonumber(first[2]) - now) or -1
  end
  return reply
end

-- Counts the due members of sorted sets by time. Members without a time have the score 0: they count too.
-- Reply {number of due members, ms since the first was due (0 = none is), for each}
function partitions.count_due(key)
  local now = now_millis()
  local reply = {}
  for _, set in ipairs(key.sets) do
    local due = redis.call('ZCOUNT', set, '-inf', now)
    reply[#reply + 1] = due
    reply[#reply + 1] = due > 0 and integer(now - tonumber(redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')[2])) or 0
  end
  return reply
end

-- Runs one command that writes one key, in a function because plain commands do not see that their slot moves.
--   change: command, args
-- Reply that of the command
function partitions.write(key, change)
  return redis.call(change.command, key.written, unpack(change.args))
end
