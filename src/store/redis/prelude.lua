-- Shared by all functions of the library; registers none itself.
-- Rules (docs/architecture.md#rules): validate everything, then write, since an error rolls nothing back; neither build nor
-- parse JSON; move money only by HINCRBY and integer strings; take the time from TIME; build key names from prefixes in
-- ARGV, so that all keys have one partition's tag. Write large values first, and set counters instead of incrementing
-- them: a Redis with aof-load-truncated may apply the first part of a commit that a crash cut, which must do no harm.

local function now_millis()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- A number as an integer string: Lua writes large ones as 1.7e+12.
local function integer(number)
  return string.format('%.0f', number)
end

-- Whether the API key belongs to the seller and is not revoked at `now`. A dashboard session was checked before and passes
-- `apikey:{pNN}:session`, which is not the record of any key.
local function key_is_valid(api_key, seller_id, now)
  if string.sub(api_key, -8) == ':session' then
    return true
  end
  local record = redis.call('HMGET', api_key, 'seller', 'revoke_at')
  if record[1] ~= seller_id then
    return false
  end
  return not record[2] or record[2] == '' or tonumber(record[2]) > now
end

-- nil if the request may proceed; otherwise the reply that ends it.
--   {'replay', status, body, 'own'}: this execution has already committed, but its reply was lost
local function check_idempotency(idempotency_key, events, fingerprint, execution, now)
  local record = redis.call('HMGET', idempotency_key, 'fingerprint', 'state', 'execution', 'lease_until', 'status', 'body', 'entry')
  if not record[1] then
    return nil
  end
  if record[1] ~= fingerprint then
    return { 'mismatch' }
  end
  if record[2] == 'done' then
    local body = record[6]
    if record[7] then
      local found = redis.call('XRANGE', events, record[7], record[7])
      body = found[1] and found[1][2][10] or ''
    end
    return { 'replay', record[5], body, record[3] == execution and 'own' or '' }
  end
  if record[3] == execution or tonumber(record[4]) <= now then
    return nil
  end
  return { 'in_progress' }
end

-- The checks of every write under an API key, in order; nil if the request may proceed. Live requires approved KYC
-- (docs/contract/sellers.md#kyc); the mode is read from the events key, `events:{pNN}:<seller>:<mode>`.
local function check_request(api_key, seller, seller_id, idempotency_key, events, fingerprint, execution, now)
  if not key_is_valid(api_key, seller_id, now) then
    return { 'key_invalid' }
  end
  local allowed = redis.call('HMGET', seller, 'status', 'kyc_status')
  if allowed[1] ~= 'active' then
    return { 'seller_not_allowed' }
  end
  if allowed[2] ~= 'approved' and string.sub(events, -5) == ':live' then
    return { 'kyc_required' }
  end
  return check_idempotency(idempotency_key, events, fingerprint, execution, now)
end

-- Owes an entry to a destination, due at `at`.
local function owe(outbox, destination_id, entry, at)
  redis.call('ZADD', outbox.queue_prefix .. destination_id, integer(at), entry)
  redis.call('ZADD', outbox.due, 'LT', integer(at), destination_id)
  redis.call('PUBLISH', outbox.wake, 'd ' .. destination_id)
end

-- A subscription is '*' or ',type,type,'; that of an endpoint with `ordering: resource` begins with '>'.
local function is_subscribed(subscription, event_type)
  return subscription == '*' or subscription == '>*' or string.find(subscription, ',' .. event_type .. ',', 1, true) ~= nil
end

local function is_ordered(subscription)
  return string.sub(subscription, 1, 1) == '>'
end

-- The order of an endpoint's deliveries (docs/decisions/0076-missed-and-ordered-events.md). An event is in the queue only
-- while its resource's turn is with it; later events of the resource wait until its delivery has ended.
--   turns:{pNN}:<endpoint>    hash: resource -> the entry that has its turn, and that entry -> the resource
--   waiting:{pNN}:<endpoint>  sorted set, scores 0: '<resource> <seq in 16 digits> <entry>'
-- Both are named after another key of the endpoint.
local function turns_key(key)
  return (string.gsub(key, '^%a+', 'turns', 1))
end

local function waiting_key(key)
  return (string.gsub(key, '^%a+', 'waiting', 1))
end

local function waiting_member(resource, seq, entry)
  return resource .. ' ' .. string.format('%016.0f', tonumber(seq)) .. ' ' .. entry
end

-- Owes an entry to an ordered endpoint: due at `at` if nothing has its resource's turn, else waiting.
--   event: {resource, seq}
local function owe_in_turn(outbox, destination_id, event, entry, at)
  local queue = outbox.queue_prefix .. destination_id
  local turns = turns_key(queue)
  if redis.call('HEXISTS', turns, event.resource) == 1 then
    redis.call('ZADD', waiting_key(queue), 0, waiting_member(event.resource, event.seq, entry))
    return
  end
  -- Queued first: a commit that a crash cut must not leave a turn with an entry that is not queued.
  owe(outbox, destination_id, entry, at)
  redis.call('HSET', turns, event.resource, entry, entry, event.resource)
end

-- Owes an ended delivery once more. `turn` is the resource whose turn it had, if it had one: while its endpoint is ordered, it
-- takes one again.
local function owe_again(outbox, destination_id, turn, seq, entry, at)
  local destination = string.gsub(outbox.queue_prefix, '^queue', 'destination') .. destination_id
  if turn and redis.call('HGET', destination, 'ordering') == 'resource' then
    owe_in_turn(outbox, destination_id, { resource = turn, seq = seq }, entry, at)
  else
    owe(outbox, destination_id, entry, at)
  end
end

-- Passes a resource's turn on from an entry whose delivery has ended to the event that waits first, which is due now. Does
-- nothing if the entry does not have the turn. Returns whether another has it now.
local function pass_turn(queue, resource, entry, now)
  local turns, waiting = turns_key(queue), waiting_key(queue)
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
  redis.call('ZADD', queue, integer(now), next_entry)
  redis.call('ZREM', waiting, first)
  redis.call('HSET', turns, resource, next_entry, next_entry, resource)
  redis.call('HDEL', turns, entry)
  return true
end

-- Appends an event to a feed and owes it to every subscribed endpoint. Returns the entry id.
--   feed:   {events, feed, subscriptions, hint}; without subscriptions the event is owed to nobody
--   event:  {type, resource, internal ('1' or '0'), data}
--   outbox: {due, wake, queue_prefix}
-- The order of an entry's fields is fixed: readers take them by position (data is the tenth value).
local function append_event(feed, event, outbox, retention_millis, now)
  local state = redis.call('HMGET', feed.feed, 'seq', 'last')
  local seq = integer((tonumber(state[1]) or 0) + 1)
  local previous = state[2] or '0-0'
  local entry = redis.call(
    'XADD', feed.events, 'MINID', '~', integer(now - retention_millis), '*',
    'seq', seq, 'type', event.type, 'resource', event.resource, 'internal', event.internal, 'data', event.data
  )
  redis.call('HSET', feed.feed, 'seq', seq, 'last', entry)
  redis.call('PUBLISH', feed.hint, previous .. ' ' .. entry)
  if event.internal == '0' and feed.subscriptions then
    local subscriptions = redis.call('HGETALL', feed.subscriptions)
    for i = 1, #subscriptions, 2 do
      if is_subscribed(subscriptions[i + 1], event.type) then
        if is_ordered(subscriptions[i + 1]) then
          owe_in_turn(outbox, subscriptions[i], { resource = event.resource, seq = seq }, entry, now)
        else
          owe(outbox, subscriptions[i], entry, now)
        end
      end
    end
  end
  return entry
end

-- Raises an error unless `arguments` from `first` on are pairs of name and value. Call it before the first write.
local function check_pairs(arguments, first)
  if (#arguments - first) % 2 == 0 then
    error('a field has no value')
  end
end

-- Raises an error unless each of the `count` timers, pairs (name, due in ms) in `arguments` from `first` on, has a due time.
-- Call it before the first write.
local function check_timers(arguments, first, count)
  for i = first + 1, first + count * 2 - 1, 2 do
    local due = tonumber(arguments[i])
    if not due or due ~= due then
      error('a timer has no due time')
    end
  end
end

-- Sets a resource's timers: `count` pairs (name, due in ms) in `arguments` from `first` on.
local function set_timers(timers, wake, resource_id, arguments, first, count)
  local soonest = nil
  for i = first, first + count * 2 - 1, 2 do
    redis.call('ZADD', timers, arguments[i + 1], resource_id .. ':' .. arguments[i])
    local due = tonumber(arguments[i + 1])
    if soonest == nil or due < soonest then
      soonest = due
    end
  end
  if soonest ~= nil then
    redis.call('PUBLISH', wake, 't ' .. integer(soonest))
  end
end

-- Drops a resource's timers, then sets others, so that one may be dropped and set again. `arguments` from `first` on:
-- `set_count` pairs (name, due in ms), then `drop_count` names.
local function change_timers(timers, wake, resource_id, arguments, first, set_count, drop_count)
  local first_dropped = first + set_count * 2
  for i = first_dropped, first_dropped + drop_count - 1 do
    redis.call('ZREM', timers, resource_id .. ':' .. arguments[i])
  end
  set_timers(timers, wake, resource_id, arguments, first, set_count)
end
