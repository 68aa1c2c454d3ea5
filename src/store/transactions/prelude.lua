-- Shared by the functions that change a charge (docs/contract/transactions.md#states).
--
-- A change of a charge is a table of
--   transaction, old_index, new_index, postback, postbacks: keys (postback: any key of the slot if it has none)
--   id, seller, mode, old_status, new_status, version (that it was decided on), document
--   event_type ('' = no event), internal, postback_id ('' = none), postback_url

-- The charge as stored: the ids of its events, and the centavos of its refunds under way. Where it is not as the change was
-- decided on, false and the reply: {'missing'} (or of another seller or mode) or {'stale'}. Call it before the first write.
local function read_charge(change)
  local record = redis.call('HMGET', change.transaction, 'status', 'version', 'events', 'seller', 'mode', 'refunding', 'account')
  if not record[1] or record[4] ~= change.seller or record[5] ~= change.mode then
    return false, { 'missing' }
  end
  if record[1] ~= change.old_status or record[2] ~= change.version then
    return false, { 'stale' }
  end
  return { events = record[3], refunding = tonumber(record[6] or '0'), account = record[7] or '' }
end

local function owe_postback(change, outbox, entry, retention_millis, now)
  redis.call('HSET', change.postback, 'seller', change.seller, 'mode', change.mode, 'target', 'postback', 'url', change.postback_url)
  redis.call('PEXPIRE', change.postback, retention_millis)
  redis.call('ZADD', change.postbacks, integer(now), change.postback_id)
  redis.call('ZREMRANGEBYSCORE', change.postbacks, '-inf', '(' .. integer(now - tonumber(retention_millis)))
  owe(outbox, change.postback_id, entry, now)
end

-- Appends the event of a change, and owes it to the charge's postback as well. Returns its entry id ('' = no event).
local function append_charge_event(change, feed, outbox, retention_millis, now)
  if change.event_type == '' then
    return ''
  end
  local entry = append_event(
    feed, { type = change.event_type, resource = change.id, internal = change.internal, data = change.document },
    outbox, tonumber(retention_millis), now
  )
  if change.postback_id ~= '' and change.internal == '0' then
    owe_postback(change, outbox, entry, retention_millis, now)
  end
  return entry
end

-- Writes status, version, events and indexes of a changed charge; its document is written before.
--   events: those before; entry: of the change's event ('' = none)
local function write_charge(change, events, entry)
  local version = integer(tonumber(change.version) + 1)
  redis.call(
    'HSET', change.transaction, 'status', change.new_status, 'version', version,
    'events', entry == '' and events or events .. ' ' .. entry
  )
  if change.old_status ~= change.new_status then
    redis.call('ZREM', change.old_index, change.id)
    redis.call('ZADD', change.new_index, 0, change.id)
  end
end
