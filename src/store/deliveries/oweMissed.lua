-- Owes an endpoint, due now, what it missed among a few entries of its feed: events that it subscribes to and that are not owed
-- to it (docs/contract/endpoints.md#missed-events). What was owed is in the queue, waits for its turn or, from its first claim
-- on, has a record, which lives as long as the event is kept.
-- ARGV.delivery_prefix: includes the endpoint's id
-- ARGV.from, ARGV.to: as XRANGE takes them
-- Reply {'owed', how many, last entry looked at ('' = none is left)}
-- Refusals {'disabled'}: or deleted
local function is_missed(keys, args, subscription, entry, fields, oldest)
  local event_type = fields[4]
  return fields[8] == '0' and event_type ~= 'ping' and is_subscribed(subscription, event_type)
    and tonumber(string.match(entry, '^%d+')) > oldest
    and not redis.call('ZSCORE', KEYS.queue, entry)
    and redis.call('EXISTS', ARGV.delivery_prefix .. entry) == 0
    and not redis.call('ZSCORE', waiting_key(KEYS.queue), waiting_member(fields[6], fields[2], entry))
end

local function owe_missed(keys, args)
  local subscription = redis.call('HGET', KEYS.subscriptions, ARGV.endpoint_id)
  if not subscription then
    return { 'disabled' }
  end
  local now = now_millis()
  local oldest = now - tonumber(ARGV.retention_millis)
  local found = redis.call('XRANGE', KEYS.events, ARGV.from, ARGV.to, 'COUNT', ARGV.events_max)
  local queue_prefix = string.sub(KEYS.queue, 1, -1 - #ARGV.endpoint_id)
  local outbox = { due = KEYS.due, wake = ARGV.wake_channel, queue_prefix = queue_prefix }
  local owed = 0
  for i = 1, #found do
    local entry, fields = found[i][1], found[i][2]
    if is_missed(keys, args, subscription, entry, fields, oldest) then
      owed = owed + 1
      if is_ordered(subscription) then
        owe_in_turn(outbox, ARGV.endpoint_id, { resource = fields[6], seq = fields[2] }, entry, now)
      else
        redis.call('ZADD', KEYS.queue, integer(now), entry)
      end
    end
  end
  if owed > 0 and not is_ordered(subscription) then
    redis.call('ZADD', KEYS.due, 'LT', integer(now), ARGV.endpoint_id)
    redis.call('PUBLISH', ARGV.wake_channel, 'd ' .. ARGV.endpoint_id)
  end
  local is_last = #found < tonumber(ARGV.events_max)
  return { 'owed', owed, is_last and '' or found[#found][1] }
end

redis.register_function('corrente_owe_missed', owe_missed)
