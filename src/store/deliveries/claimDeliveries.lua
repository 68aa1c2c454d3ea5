-- Leases the due deliveries of one destination. The fence makes the record of an expired claim stale
-- (docs/contract/deliveries.md#claims).
-- Reply {ms until the next one is due (-1 = none)} if nothing could be claimed, else
--   {next in ms, seller id, mode, target, url, enabled ('1'/'0'), secret, previous secret, headers (ciphertext),
--    deleted ('1'/'0'),
--    then for each: entry id, seq, type, resource, internal, data, attempt, promised id, fence, manual}; '' = none
--   Deliveries to a disabled or deleted destination are claimed with enabled '0'. An entry that its feed no longer holds is
--   claimed with the type 'unknown', so that the failure to send it is recorded.

-- Stands for the fields of an entry that its feed no longer holds.
local gone = { 'seq', '0', 'type', 'unknown', 'resource', '', 'internal', '0', 'data', '' }

local function secrets_of(destination, seller_prefix, now)
  if destination[3] ~= 'endpoint' then
    return redis.call('HGET', seller_prefix .. destination[1], 'postback_secret') or '', ''
  end
  local previous = ''
  if destination[7] and tonumber(destination[8] or '0') > now then
    previous = destination[7]
  end
  return destination[6] or '', previous
end

local function claim_deliveries(keys, args)
  local now = now_millis()
  local destination = redis.call(
    'HMGET', KEYS.destination, 'seller', 'mode', 'target', 'url', 'enabled', 'secret', 'secret_previous', 'secret_previous_until',
    'headers', 'deleted_by', 'keeps_turns'
  )
  if not destination[1] then
    redis.call('DEL', KEYS.queue, turns_key(KEYS.queue), waiting_key(KEYS.queue))
    redis.call('ZREM', KEYS.due, ARGV.destination_id)
    return { -1 }
  end

  local events = ARGV.events_prefix .. destination[1] .. ':' .. destination[2]
  local reply = {
    -1, destination[1], destination[2], destination[3], destination[4], destination[5] or '1', '', '', destination[9] or '',
    destination[10] and '1' or '0'
  }
  local leased = { 'ZADD', KEYS.queue }
  local lease_end = integer(now + tonumber(ARGV.lease_millis))
  local entries = redis.call('ZRANGEBYSCORE', KEYS.queue, '-inf', integer(now), 'LIMIT', 0, ARGV.deliveries_max)
  for i = 1, #entries do
    local found = redis.call('XRANGE', events, entries[i], entries[i])[1]
    local fields = found and found[2] or gone
    local delivery = ARGV.delivery_prefix .. entries[i]
    local state = redis.call('HMGET', delivery, 'attempts', 'promised_id', 'manual', 'fence')
    local fence = integer(tonumber(state[4] or '0') + 1)
    redis.call('HSET', delivery, 'fence', fence, 'state', 'leased')
    local turn = destination[11] and redis.call('HGET', turns_key(KEYS.queue), entries[i])
    if turn then
      redis.call('HSET', delivery, 'turn', turn)
    end
    redis.call('PEXPIRE', delivery, ARGV.retention_millis)
    leased[#leased + 1] = lease_end
    leased[#leased + 1] = entries[i]
    local at = #reply
    reply[at + 1], reply[at + 2], reply[at + 3] = entries[i], fields[2], fields[4]
    reply[at + 4], reply[at + 5], reply[at + 6] = fields[6], fields[8], fields[10]
    reply[at + 7], reply[at + 8] = tonumber(state[1] or '0') + 1, state[2] or ''
    reply[at + 9], reply[at + 10] = fence, state[3] or '0'
  end
  if #entries > 0 then
    redis.call(unpack(leased))
  end

  local next_owed = redis.call('ZRANGE', KEYS.queue, 0, 0, 'WITHSCORES')
  local next_in = -1
  if next_owed[2] then
    next_in = math.max(0, tonumber(next_owed[2]) - now)
    -- What is due but was not taken stays with this claimer, which returns when it has room.
    local due_at = next_in == 0 and lease_end or next_owed[2]
    redis.call('ZADD', KEYS.due, due_at, ARGV.destination_id)
  else
    redis.call('ZREM', KEYS.due, ARGV.destination_id)
  end
  if #entries == 0 then
    return { next_in }
  end
  reply[1] = next_in
  reply[7], reply[8] = secrets_of(destination, ARGV.seller_prefix, now)
  return reply
end

redis.register_function('corrente_claim_deliveries', claim_deliveries)
