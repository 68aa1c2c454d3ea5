-- Records one attempt and its consequence: the next attempt's time, the end of the delivery, or a disabled endpoint.
-- ARGV.retry_in_millis: -1 = the delivery has ended
-- ARGV.oldest_id: oldest id that the indexes keep
-- ARGV.kind_then_bin: '1' = a ping, '2' = the feed no longer holds the event; then, after a space, or nothing: the bin of its duration
-- ARGV.success_precision_millis: how exactly the last success is known
-- KEYS.events, ARGV.event_type and all that follow them: given only if the attempt may disable the endpoint
-- Reply {'recorded'} {'disabled_endpoint'}
-- Refusals {'stale'}: the lease was lost; nothing is written

-- One attempt in sixteen trims the indexes (docs/decisions/0035-trim-one-attempt-in-sixteen.md): an id's last character is
-- random, and two of the 32 match.
local function trims(id)
  return string.byte(id, -1) % 16 == 0
end

local function index_attempt(keys, args)
  local is_trimming = trims(ARGV.delivery_id)
  local indexes = { KEYS.attempts, KEYS.attempts_of_status }
  if ARGV.target == 'endpoint' then
    indexes[3] = KEYS.attempts_of_endpoint
  end
  for i = 1, #indexes do
    redis.call('ZADD', indexes[i], 0, ARGV.delivery_id)
    if is_trimming then
      redis.call('ZREMRANGEBYLEX', indexes[i], '-', '(' .. ARGV.oldest_id)
    end
  end
  if ARGV.status == 'dead' then
    -- Of all sellers of the partition, for operators.
    local dead = series.key_beside('dead-attempts', KEYS.due) .. ':' .. ARGV.mode
    redis.call('ZADD', dead, 0, ARGV.delivery_id)
    redis.call('ZREMRANGEBYLEX', dead, '-', '(' .. ARGV.oldest_id)
  end
  redis.call('ZADD', KEYS.attempts_of_event, 0, ARGV.delivery_id)
  redis.call('PEXPIRE', KEYS.attempts_of_event, ARGV.retention_millis)
end

-- Ends the streak of dead deliveries.
local function note_success(keys, args, endpoint, now)
  local since_success = now - (tonumber(endpoint[3] or '') or 0)
  if endpoint[2] ~= '0' or since_success >= tonumber(ARGV.success_precision_millis) then
    redis.call('HSET', KEYS.destination, 'dead_streak', 0, 'last_success_at', integer(now))
  end
end

-- Counts dead deliveries in a row; true if this one disables the endpoint (docs/contract/endpoints.md#disabling). A delivery
-- counts once: a manual retry that fails again does not.
--   endpoint: {deleted_by, dead_streak, last_success_at}
local function counts_as_last_straw(keys, args, endpoint, is_manual, now)
  if ARGV.status == 'success' then
    note_success(keys, args, endpoint, now)
    return false
  end
  if ARGV.status ~= 'dead' or is_manual then
    return false
  end
  local streak = redis.call('HINCRBY', KEYS.destination, 'dead_streak', 1)
  if not ARGV.event_type then
    return false
  end
  -- A success may have followed the one that is written, by less than the precision.
  local latest_success = (tonumber(endpoint[3] or '') or 0) + tonumber(ARGV.success_precision_millis)
  return streak >= tonumber(ARGV.dead_streak_max) and now - latest_success >= tonumber(ARGV.dead_streak_window_millis)
    and redis.call('HGET', KEYS.destination, 'enabled') == '1'
end

-- A ping shows whether the endpoint works and counts for nothing else (docs/contract/endpoints.md#ping).
local function record_ping(keys, args, now)
  redis.call(
    'HSET', KEYS.destination, 'last_ping_at', integer(now), 'last_ping_ok', ARGV.status == 'success' and '1' or '0'
  )
end

-- Passes the turn of the delivery's resource on. An endpoint whose ordering was turned off keeps turns until the last has ended.
local function end_turn(keys, args, resource, now)
  if pass_turn(KEYS.queue, resource, ARGV.entry, now) then
    redis.call('ZADD', KEYS.due, 'LT', integer(now), ARGV.destination_id)
    redis.call('PUBLISH', (string.gsub(KEYS.due, '^due', 'wake')), 'd ' .. ARGV.destination_id)
  elseif redis.call('HGET', KEYS.destination, 'ordering') ~= 'resource' and redis.call('EXISTS', turns_key(KEYS.queue)) == 0 then
    redis.call('HDEL', KEYS.destination, 'keeps_turns')
  end
end

local function disable_endpoint(keys, args, now)
  redis.call(
    'HSET', KEYS.destination, 'enabled', '0', 'disabled_reason', 'auto', 'auto_disabled_at', ARGV.now_text, 'dead_streak', 0
  )
  redis.call('HDEL', KEYS.subscriptions, ARGV.destination_id)
  begin_outage(KEYS.destination, KEYS.feed)
  local outbox = { due = KEYS.due, wake = ARGV.wake_channel, queue_prefix = ARGV.queue_prefix }
  local event = { type = ARGV.event_type, resource = ARGV.seller_id, internal = '0', data = ARGV.event_data }
  local feed = { events = KEYS.events, feed = KEYS.feed, subscriptions = KEYS.subscriptions, hint = ARGV.hint_channel }
  append_event(feed, event, outbox, tonumber(ARGV.retention_millis), now)
end

local function record_attempt(keys, args)
  local now = now_millis()
  local delivery = redis.call('HMGET', KEYS.delivery, 'fence', 'state', 'manual', 'promised_id', 'turn')
  if delivery[1] ~= ARGV.fence or delivery[2] ~= 'leased' then
    return { 'stale' }
  end

  redis.call(
    'HSET', KEYS.attempt, 'seller', ARGV.seller_id, 'mode', ARGV.mode, 'destination', ARGV.destination_id, 'entry', ARGV.entry,
    'row', ARGV.row, 'detail', ARGV.detail
  )
  redis.call('PEXPIRE', KEYS.attempt, ARGV.retention_millis)
  index_attempt(keys, args)

  local retry_in = tonumber(ARGV.retry_in_millis)
  local state = ARGV.status
  if retry_in >= 0 then
    state = 'scheduled'
    local due_at = integer(now + retry_in)
    redis.call('ZADD', KEYS.queue, due_at, ARGV.entry)
    redis.call('ZADD', KEYS.due, 'LT', due_at, ARGV.destination_id)
  else
    -- First of all, as in `owe_in_turn`.
    if delivery[5] then
      end_turn(keys, args, delivery[5], now)
    end
    redis.call('ZREM', KEYS.queue, ARGV.entry)
    if redis.call('EXISTS', KEYS.queue) == 0 then
      redis.call('ZREM', KEYS.due, ARGV.destination_id)
    end
  end
  if delivery[3] or delivery[4] then
    redis.call('HDEL', KEYS.delivery, 'promised_id', 'manual')
  end
  redis.call('HSET', KEYS.delivery, 'state', state, 'attempts', ARGV.attempt)

  -- A missing event says nothing about the receiver.
  local kind = string.sub(ARGV.kind_then_bin, 1, 1)
  if kind == '2' then
    return { 'recorded' }
  end
  if kind ~= '1' then
    series.count_delivery(KEYS.attempts, ARGV.status == 'success', string.sub(ARGV.kind_then_bin, 3), now)
  end
  if ARGV.target ~= 'endpoint' then
    return { 'recorded' }
  end
  local endpoint = redis.call('HMGET', KEYS.destination, 'deleted_by', 'dead_streak', 'last_success_at')
  if endpoint[1] then
    redis.call('PEXPIRE', KEYS.attempts_of_endpoint, ARGV.retention_millis)
  elseif kind == '1' then
    record_ping(keys, args, now)
    return { 'recorded' }
  else
    series.count_of_endpoint(KEYS.destination, ARGV.status == 'success', string.sub(ARGV.kind_then_bin, 3), now)
  end
  if counts_as_last_straw(keys, args, endpoint, delivery[3] == '1', now) then
    disable_endpoint(keys, args, now)
    return { 'disabled_endpoint' }
  end
  return { 'recorded' }
end

redis.register_function('corrente_record_attempt', record_attempt)
