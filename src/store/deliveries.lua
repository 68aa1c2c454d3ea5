-- Deliveries: which entries are owed to which destinations, and their attempts.

-- Owes an entry to destinations, due at `at` (ms). `due` is the partition's set of due destinations.
function deliveries.owe(due, destination_ids, entry, at)
  if not destination_ids[1] then
    return
  end
  local tag = tag_of(due)
  local due_at, woken = integer(at), { 'ZADD', due, 'LT' }
  for _, id in ipairs(destination_ids) do
    redis.call('ZADD', key_names.queue(tag, id), due_at, entry)
    woken[#woken + 1] = due_at
    woken[#woken + 1] = id
  end
  redis.call(unpack(woken))
  redis.call('PUBLISH', key_names.wake(tag), 'd ' .. table.concat(destination_ids, ' '))
end

-- A subscription is '*' or ',type,type,'; that of an endpoint with `ordering: resource` begins with '>'.
function deliveries.is_subscribed(subscription, event_type)
  return subscription == '*' or subscription == '>*' or string.find(subscription, ',' .. event_type .. ',', 1, true) ~= nil
end

function deliveries.is_ordered(subscription)
  return string.sub(subscription, 1, 1) == '>'
end

-- The order of an endpoint's deliveries (docs/decisions/0076-missed-and-ordered-events.md). An event is in the queue only
-- while its resource's turn is with it; later events of the resource wait until its delivery has ended.
--   turns:{pNN}:<endpoint>    hash: resource -> the entry that has its turn, and that entry -> the resource
--   waiting:{pNN}:<endpoint>  sorted set, scores 0: '<resource> <seq in 16 digits> <entry>'
function deliveries.turns_key(due, destination_id)
  return key_names.turns(tag_of(due), destination_id)
end

function deliveries.waiting_key(due, destination_id)
  return key_names.waiting(tag_of(due), destination_id)
end

function deliveries.waiting_member(resource, seq, entry)
  return resource .. ' ' .. string.format('%016.0f', tonumber(seq)) .. ' ' .. entry
end

-- Owes an entry to an ordered endpoint: due at `at` if nothing has its resource's turn, else waiting.
function deliveries.owe_in_turn(due, destination_id, resource, seq, entry, at)
  local turns = deliveries.turns_key(due, destination_id)
  if redis.call('HEXISTS', turns, resource) == 1 then
    redis.call('ZADD', deliveries.waiting_key(due, destination_id), 0, deliveries.waiting_member(resource, seq, entry))
    return
  end
  -- Queued first: a commit that a crash cut must not leave a turn with an entry that is not queued.
  deliveries.owe(due, { destination_id }, entry, at)
  redis.call('HSET', turns, resource, entry, entry, resource)
end

-- Owes an ended delivery once more. `turn` is the resource whose turn it had, if it had one: while its endpoint is ordered, it
-- takes one again.
function deliveries.owe_again(due, destination_id, turn, seq, entry, at)
  local destination = key_names.destination(tag_of(due), destination_id)
  if turn and redis.call('HGET', destination, 'ordering') == 'resource' then
    deliveries.owe_in_turn(due, destination_id, turn, seq, entry, at)
  else
    deliveries.owe(due, { destination_id }, entry, at)
  end
end

-- Passes a resource's turn on from an entry whose delivery has ended to the event that waits first, which is due now. Does
-- nothing if the entry does not have the turn. Returns whether another has it now.
function deliveries.pass_turn(due, destination_id, resource, entry, now)
  local turns, waiting = deliveries.turns_key(due, destination_id), deliveries.waiting_key(due, destination_id)
  if redis.call('HGET', turns, resource) ~= entry then
    redis.call('HDEL', turns, entry)
    return false
  end
  local first = redis.call('ZRANGE', waiting, '[' .. resource .. ' ', '(' .. resource .. '!', 'BYLEX', 'LIMIT', 0, 1)[1]
  if not first then
    redis.call('HDEL', turns, resource, entry)
    return false
  end
  local next_entry = string.match(first, '%S+$')
  redis.call('ZADD', key_names.queue(tag_of(due), destination_id), integer(now), next_entry)
  redis.call('ZREM', waiting, first)
  redis.call('HSET', turns, resource, next_entry, next_entry, resource)
  redis.call('HDEL', turns, entry)
  return true
end

-- Lists the destinations of a partition that have something to claim now, most overdue first. Reads only.
--   change: skip, destinationsMax
-- Reply {ms until the next one is due (-1 = none), destination id...}
function deliveries.due_destinations(key, change)
  local now = now_millis()
  local ids = redis.call('ZRANGEBYSCORE', key.due, '-inf', integer(now), 'LIMIT', change.skip, change.destinationsMax)
  local later = redis.call('ZRANGEBYSCORE', key.due, '(' .. integer(now), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
  local next_in = -1
  if later[2] then
    next_in = math.max(0, tonumber(later[2]) - now)
  end
  table.insert(ids, 1, next_in)
  return ids
end

-- Stands for the fields of an entry that its feed no longer holds.
local gone = { 'seq', '0', 'type', 'unknown', 'resource', '', 'internal', '0', 'data', '' }

local function secrets_of(destination, tag, now)
  if destination[3] ~= 'endpoint' then
    return redis.call('HGET', key_names.seller(tag, destination[1]), 'postback_secret') or '', ''
  end
  local previous = ''
  if destination[7] and tonumber(destination[8] or '0') > now then
    previous = destination[7]
  end
  return destination[6] or '', previous
end

-- Leases a delivery and appends what its claimer needs to the reply.
--   ahead_at: of `clocks.reader`
local function lease(key, change, reply, events, entry, keeps_turns, ahead_at)
  local tag = tag_of(key.due)
  local found = redis.call('XRANGE', events, entry, entry)[1]
  local fields = found and found[2] or gone
  local delivery = key_names.delivery(tag, change.destinationId, entry)
  local state = redis.call('HMGET', delivery, 'attempts', 'promised_id', 'manual', 'fence')
  local fence = integer(tonumber(state[4] or '0') + 1)
  redis.call('HSET', delivery, 'fence', fence, 'state', 'leased')
  local turn = keeps_turns and redis.call('HGET', deliveries.turns_key(key.due, change.destinationId), entry)
  if turn then
    redis.call('HSET', delivery, 'turn', turn)
  end
  redis.call('PEXPIRE', delivery, integer(change.retentionMillis))
  local at = #reply
  reply[at + 1], reply[at + 2], reply[at + 3] = entry, fields[2], fields[4]
  reply[at + 4], reply[at + 5], reply[at + 6] = fields[6], fields[8], fields[10]
  reply[at + 7], reply[at + 8] = tonumber(state[1] or '0') + 1, state[2] or ''
  reply[at + 9], reply[at + 10] = fence, state[3] or '0'
  reply[at + 11] = integer(ahead_at(tonumber((string.match(entry, '^%d+')))))
end

-- Leases the due deliveries of one destination. The fence makes the record of an expired claim stale
-- (docs/contract/deliveries.md#claims).
--   change: destinationId, deliveriesMax, leaseMillis, retentionMillis
-- Reply {ms until the next one is due (-1 = none)} if nothing could be claimed, else
--   {next in ms, seller id, mode, target, url, enabled ('1'/'0'), secret, previous secret, headers (ciphertext),
--    deleted ('1'/'0'), password of the url (ciphertext),
--    then for each: entry id, seq, type, resource, internal, data, attempt, promised id, fence, manual, how far ahead the test
--    clock was when it was written (ms)}; '' = none
--   Deliveries to a disabled or deleted destination are claimed with enabled '0'. An entry that its feed no longer holds is
--   claimed with the type 'unknown', so that the failure to send it is recorded.
function deliveries.claim(key, change)
  local now = now_millis()
  local destination = redis.call(
    'HMGET', key.destination, 'seller', 'mode', 'target', 'url', 'enabled', 'secret', 'secret_previous', 'secret_previous_until',
    'headers', 'deleted_by', 'keeps_turns', 'url_password'
  )
  if not destination[1] then
    local id = change.destinationId
    redis.call('DEL', key.queue, deliveries.turns_key(key.due, id), deliveries.waiting_key(key.due, id))
    redis.call('ZREM', key.due, id)
    return { -1 }
  end

  local events_key = key_names.events(tag_of(key.due), destination[1], destination[2])
  local reply = {
    -1, destination[1], destination[2], destination[3], destination[4], destination[5] or '1', '', '', destination[9] or '',
    destination[10] and '1' or '0', destination[12] or ''
  }
  local leased = { 'ZADD', key.queue }
  local lease_end = integer(now + change.leaseMillis)
  local entries = redis.call('ZRANGEBYSCORE', key.queue, '-inf', integer(now), 'LIMIT', '0', integer(change.deliveriesMax))
  local ahead_at = clocks.reader(tag_of(key.due), destination[1], destination[2])
  for i = 1, #entries do
    lease(key, change, reply, events_key, entries[i], destination[11], ahead_at)
    leased[#leased + 1] = lease_end
    leased[#leased + 1] = entries[i]
  end
  if #entries > 0 then
    redis.call(unpack(leased))
  end

  local next_owed = redis.call('ZRANGE', key.queue, 0, 0, 'WITHSCORES')
  local next_in = -1
  if next_owed[2] then
    next_in = math.max(0, tonumber(next_owed[2]) - now)
    -- What is due but was not taken stays with this claimer, which returns when it has room.
    local due_at = next_in == 0 and lease_end or next_owed[2]
    redis.call('ZADD', key.due, due_at, change.destinationId)
  else
    redis.call('ZREM', key.due, change.destinationId)
  end
  if #entries == 0 then
    return { next_in }
  end
  reply[1] = next_in
  reply[7], reply[8] = secrets_of(destination, tag_of(key.due), now)
  return reply
end

-- One attempt in sixteen trims the indexes (docs/operations.md#what-stays): an id's last character is
-- random, and two of the 32 match.
local function trims(id)
  return string.byte(id, -1) % 16 == 0
end

local function index_attempt(key, change)
  local id = change.deliveryId
  local is_trimming = trims(id)
  local indexes = { key.attemptsOfStatus }
  if change.target == 'endpoint' then
    indexes[2] = key.attemptsOfEndpoint
  end
  for i = 1, #indexes do
    redis.call('ZADD', indexes[i], '0', id)
    if is_trimming then
      redis.call('ZREMRANGEBYLEX', indexes[i], '-', '(' .. change.oldestId)
    end
  end
  if change.status == 'dead' then
    -- Of all sellers of the partition, for operators.
    local dead = key_names.dead_attempts(tag_of(key.due), change.mode)
    redis.call('ZADD', dead, '0', id)
    redis.call('ZREMRANGEBYLEX', dead, '-', '(' .. change.oldestId)
  end
  redis.call('ZADD', key.attemptsOfEvent, '0', id)
  redis.call('PEXPIRE', key.attemptsOfEvent, integer(change.retentionMillis))
end

-- Ends the streak of dead deliveries.
local function note_success(key, change, endpoint, now)
  local since_success = now - (tonumber(endpoint[3] or '') or 0)
  if endpoint[2] ~= '0' or since_success >= change.successPrecisionMillis then
    redis.call('HSET', key.destination, 'dead_streak', 0, 'last_success_at', integer(now))
  end
end

-- Counts dead deliveries in a row; true if this one disables the endpoint (docs/contract/endpoints.md#disabling). A delivery
-- counts once: a manual retry that fails again does not.
--   endpoint: {deleted_by, dead_streak, last_success_at}
local function counts_as_last_straw(key, change, endpoint, is_manual, now)
  if change.status == 'success' then
    note_success(key, change, endpoint, now)
    return false
  end
  if change.status ~= 'dead' or is_manual then
    return false
  end
  local streak = redis.call('HINCRBY', key.destination, 'dead_streak', 1)
  local disabling = change.disabling
  if not disabling then
    return false
  end
  -- A success may have followed the one that is written, by less than the precision.
  local latest_success = (tonumber(endpoint[3] or '') or 0) + change.successPrecisionMillis
  return streak >= disabling.deadStreakMax and now - latest_success >= disabling.deadStreakWindowMillis
    and redis.call('HGET', key.destination, 'enabled') == '1'
end

-- Passes the turn of the delivery's resource on. An endpoint whose ordering was turned off keeps turns until the last has ended.
local function end_turn(key, change, resource, now)
  local id = change.destinationId
  if deliveries.pass_turn(key.due, id, resource, change.entry, now) then
    redis.call('ZADD', key.due, 'LT', integer(now), id)
    redis.call('PUBLISH', key_names.wake(tag_of(key.due)), 'd ' .. id)
  elseif redis.call('HGET', key.destination, 'ordering') ~= 'resource'
    and redis.call('EXISTS', deliveries.turns_key(key.due, id)) == 0 then
    redis.call('HDEL', key.destination, 'keeps_turns')
  end
end

local function disable_endpoint(key, change, event_data, now)
  redis.call(
    'HSET', key.destination, 'enabled', '0', 'disabled_reason', 'auto', 'auto_disabled_at', change.disabling.at, 'dead_streak', 0
  )
  redis.call('HDEL', key.subscriptions, change.destinationId)
  endpoints.begin_outage(key.destination, key.feed)
  events.append(
    key, change, { type = change.disabling.eventType, resource = change.sellerId, data = event_data }, now
  )
end

-- Sets when the delivery's next attempt is due, or ends it. Returns its state.
--   turn: the resource whose turn it has (false = none)
local function plan_next(key, change, turn, now)
  if change.retryInMillis then
    local due_at = integer(now + change.retryInMillis)
    redis.call('ZADD', key.queue, due_at, change.entry)
    redis.call('ZADD', key.due, 'LT', due_at, change.destinationId)
    return 'scheduled'
  end
  -- First of all, as in `owe_in_turn`.
  if turn then
    end_turn(key, change, turn, now)
  end
  redis.call('ZREM', key.queue, change.entry)
  if redis.call('EXISTS', key.queue) == 0 then
    redis.call('ZREM', key.due, change.destinationId)
  end
  return change.status
end

-- Counts failed attempts in a row. The first that is late enough in a row long enough gives reason for an alert, once until one
-- succeeds (docs/contract/notifications.md#endpoint-failing).
--   failing: {failing_since, failing_attempts, failing_told} of the endpoint
local function count_failures(key, change, is_success, failing, now)
  if is_success then
    if failing[1] then
      redis.call('HDEL', key.destination, 'failing_since', 'failing_attempts', 'failing_told')
    end
    return
  end
  local since, attempts = tonumber(failing[1] or now), tonumber(failing[2] or '0') + 1
  redis.call('HSET', key.destination, 'failing_since', integer(since), 'failing_attempts', attempts)
  if failing[3] or attempts < change.failing.attemptsMin or now - since < change.failing.minMillis then
    return
  end
  redis.call('HSET', key.destination, 'failing_told', '1')
  if change.mode == 'live' then
    alerts.raise(
      tag_of(key.due), change.sellerId, 'endpoint_failing', change.destinationId .. ' ' .. integer(since) .. ' ' .. attempts, now
    )
  end
end

-- Counts what an endpoint's attempt says of it. Returns whether the attempt disables it.
--   hour: of `series.shown_hour`
local function count_for_endpoint(key, change, is_manual, hour, now)
  local endpoint = redis.call(
    'HMGET', key.destination, 'deleted_by', 'dead_streak', 'last_success_at', 'failing_since', 'failing_attempts', 'failing_told'
  )
  local is_success = change.status == 'success'
  if endpoint[1] then
    redis.call('PEXPIRE', key.attemptsOfEndpoint, change.retentionMillis)
  elseif change.isPing then
    -- A ping shows whether the endpoint works and counts for nothing else (docs/contract/endpoints.md#ping).
    redis.call('HSET', key.destination, 'last_ping_at', integer(now), 'last_ping_ok', is_success and '1' or '0')
    return false
  else
    series.count_of_endpoint(tag_of(key.due), change.destinationId, is_success, change.bin, hour)
    count_failures(key, change, is_success, { endpoint[4], endpoint[5], endpoint[6] }, now)
  end
  return counts_as_last_straw(key, change, endpoint, is_manual, now)
end

-- Records one attempt and its consequence: the next attempt's time, the end of the delivery, or a disabled endpoint.
--   change: sellerId, mode, retentionMillis, destinationId, target, entry, deliveryId, fence, attempt, status, retryInMillis (nil =
--     the delivery has ended), oldestId (the oldest id that the indexes keep), isPing, isGone (the feed no longer holds the event),
--     bin (of its duration, nil = none), successPrecisionMillis (how exactly the last success is known); disabling (nil unless the
--     attempt may disable the endpoint): eventType, at (ISO 8601), deadStreakMax, deadStreakWindowMillis; failing (when an endpoint
--     fails): attemptsMin, minMillis
-- Reply {'recorded'} {'disabled_endpoint'}
-- Refusals {'stale'}: the lease was lost; nothing is written
function deliveries.record(key, change, row, detail, event_data)
  local now = now_millis()
  local delivery = redis.call('HMGET', key.delivery, 'fence', 'state', 'manual', 'promised_id', 'turn')
  if tonumber(delivery[1] or '') ~= change.fence or delivery[2] ~= 'leased' then
    return { 'stale' }
  end

  redis.call(
    'HSET', key.attempt, 'seller', change.sellerId, 'mode', change.mode, 'destination', change.destinationId,
    'entry', change.entry, 'row', row, 'detail', detail
  )
  redis.call('PEXPIRE', key.attempt, integer(change.retentionMillis))
  index_attempt(key, change)

  local state = plan_next(key, change, delivery[5], now)
  if delivery[3] or delivery[4] then
    redis.call('HDEL', key.delivery, 'promised_id', 'manual')
  end
  redis.call('HSET', key.delivery, 'state', state, 'attempts', integer(change.attempt))

  -- A missing event says nothing about the receiver.
  if change.isGone then
    return { 'recorded' }
  end
  local hour = series.shown_hour(tag_of(key.due), change, now)
  if not change.isPing then
    series.count_delivery(tag_of(key.due), change, change.status == 'success', change.bin, hour)
  end
  if change.target == 'endpoint' and count_for_endpoint(key, change, delivery[3] == '1', hour, now) then
    disable_endpoint(key, change, event_data, now)
    return { 'disabled_endpoint' }
  end
  return { 'recorded' }
end

-- Queues an ended delivery again, due now or in its turn, under a promised attempt id (docs/contract/deliveries.md#replay).
--   change: sellerId, mode, promisedId
-- Reply {'queued'}, also if it was queued under this id before
-- Refusals {'key_invalid'} {'missing'} {'succeeded'} {'scheduled'} {'expired'}: the feed no longer holds the event
function deliveries.retry(key, change)
  local now = now_millis()
  if not requests.is_key_valid(key.apiKey, change.sellerId, now) then
    return { 'key_invalid' }
  end
  local attempt = redis.call('HMGET', key.attempt, 'seller', 'mode', 'destination', 'entry')
  if attempt[1] ~= change.sellerId or attempt[2] ~= change.mode then
    return { 'missing' }
  end
  local delivery = key_names.delivery(tag_of(key.due), attempt[3], attempt[4])
  local record = redis.call('HMGET', delivery, 'state', 'turn', 'promised_id')
  local state = record[1]
  -- Only this caller knows the promised id: it has queued the delivery already, and does not know.
  if record[3] == change.promisedId or redis.call('EXISTS', key_names.attempt(tag_of(key.due), change.promisedId)) == 1 then
    return { 'queued' }
  end
  if state == 'success' then
    return { 'succeeded' }
  end
  if state == 'leased' or state == 'scheduled' then
    return { 'scheduled' }
  end
  local found = state and redis.call('XRANGE', key.events, attempt[4], attempt[4])[1]
  if not found then
    return { 'expired' }
  end
  redis.call('HSET', delivery, 'state', 'scheduled', 'promised_id', change.promisedId, 'manual', '1')
  deliveries.owe_again(key.due, attempt[3], record[2], found[2][2], attempt[4], now)
  return { 'queued' }
end

-- Makes deliveries to one destination due earlier, except leased ones: their attempt is already running.
--   change: destinationId, millis, entries
-- Reply how many were moved
function deliveries.shift(key, change)
  local moved = 0
  local tag = tag_of(key.due)
  for _, entry in ipairs(change.entries) do
    local due = redis.call('ZSCORE', key.queue, entry)
    if due and redis.call('HGET', key_names.delivery(tag, change.destinationId, entry), 'state') ~= 'leased' then
      redis.call('ZADD', key.queue, integer(math.max(0, tonumber(due) - change.millis)), entry)
      moved = moved + 1
    end
  end
  if moved > 0 then
    local soonest = redis.call('ZRANGE', key.queue, 0, 0, 'WITHSCORES')
    redis.call('ZADD', key.due, soonest[2], change.destinationId)
    redis.call('PUBLISH', key_names.wake(tag), 'd ' .. change.destinationId)
  end
  return moved
end

-- Announces that entries of an endpoint's queue are due now.
local function wake_now(due, endpoint_id, now)
  redis.call('ZADD', due, 'LT', integer(now), endpoint_id)
  redis.call('PUBLISH', key_names.wake(tag_of(due)), 'd ' .. endpoint_id)
end

-- Whether an event that an endpoint subscribes to is not owed to it. What was owed is in the queue, waits for its turn or, from its
-- first claim on, has a record, which lives as long as the event is kept.
local function is_missed(key, endpoint_id, subscription, entry, fields)
  local event_type = fields[4]
  return fields[8] == '0' and event_type ~= 'ping' and deliveries.is_subscribed(subscription, event_type)
    and not redis.call('ZSCORE', key.queue, entry)
    and redis.call('EXISTS', key_names.delivery(tag_of(key.due), endpoint_id, entry)) == 0
    and not redis.call(
      'ZSCORE', deliveries.waiting_key(key.due, endpoint_id), deliveries.waiting_member(fields[6], fields[2], entry)
    )
end

-- Owes an endpoint, due now, what it missed among a few entries of its feed: events that it subscribes to and that are not owed
-- to it (docs/contract/endpoints.md#missed-events).
--   change: endpointId, retentionMillis, from, to (as XRANGE takes them), eventsMax
-- Reply {'owed', how many, last entry looked at ('' = none is left)}
-- Refusals {'disabled'}: or deleted
function deliveries.owe_missed(key, change)
  local endpoint_id = change.endpointId
  local subscription = redis.call('HGET', key.subscriptions, endpoint_id)
  if not subscription then
    return { 'disabled' }
  end
  local now = now_millis()
  local oldest = now - change.retentionMillis
  local is_ordered = deliveries.is_ordered(subscription)
  local found = redis.call('XRANGE', key.events, change.from, change.to, 'COUNT', change.eventsMax)
  local owed = 0
  for i = 1, #found do
    local entry, fields = found[i][1], found[i][2]
    local is_kept = tonumber(string.match(entry, '^%d+')) > oldest
    if is_kept and is_missed(key, endpoint_id, subscription, entry, fields) then
      owed = owed + 1
      if is_ordered then
        deliveries.owe_in_turn(key.due, endpoint_id, fields[6], fields[2], entry, now)
      else
        redis.call('ZADD', key.queue, integer(now), entry)
      end
    end
  end
  if owed > 0 and not is_ordered then
    wake_now(key.due, endpoint_id, now)
  end
  local is_last = #found < change.eventsMax
  return { 'owed', owed, is_last and '' or found[#found][1] }
end

-- Queues the named entries' failed and dead deliveries to one endpoint again, due now or in their turn. Skips pings.
--   change: endpointId, entries (oldest first)
-- Reply {'queued', how many}
-- Refusals {'disabled'}: or deleted
function deliveries.recover(key, change)
  local now = now_millis()
  local endpoint_id = change.endpointId
  if redis.call('HEXISTS', key.subscriptions, endpoint_id) == 0 then
    return { 'disabled' }
  end
  local queued = 0
  for _, entry in ipairs(change.entries) do
    local delivery = key_names.delivery(tag_of(key.due), endpoint_id, entry)
    local record = redis.call('HMGET', delivery, 'state', 'turn')
    local has_failed = record[1] == 'failed' or record[1] == 'dead'
    local found = has_failed and redis.call('XRANGE', key.events, entry, entry)[1]
    if found and found[2][4] ~= 'ping' then
      redis.call('HSET', delivery, 'state', 'scheduled', 'manual', '1')
      if record[2] then
        deliveries.owe_again(key.due, endpoint_id, record[2], found[2][2], entry, now)
      else
        redis.call('ZADD', key.queue, integer(now), entry)
      end
      queued = queued + 1
    end
  end
  if queued > 0 then
    wake_now(key.due, endpoint_id, now)
  end
  return { 'queued', queued }
end
