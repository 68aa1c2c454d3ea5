-- Reads in one step what an audit of a seller and mode compares: the balance and the newest entry of each stream.
-- Reply {newest ledger entry, seq and newest entry by the feed's hash, newest event's entry and its seq,
--   then the balance's names and values}; '' = none
local function newest(stream)
  local found = redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)
  if not found[1] then
    return '', ''
  end
  return found[1][1], found[1][2][2]
end

-- The newest event that a feed has had: one that retention has emptied still knows its entry id, and the hash its seq.
local function newest_event(events, feed_seq)
  local entry, seq = newest(events)
  if entry ~= '' or redis.call('EXISTS', events) == 0 then
    return entry, seq
  end
  local info = redis.call('XINFO', 'STREAM', events)
  for i = 1, #info, 2 do
    if info[i] == 'last-generated-id' then
      return info[i + 1], feed_seq or ''
    end
  end
  return '', ''
end

local function audit_anchor(keys)
  local ledger = newest(KEYS.ledger)
  local feed = redis.call('HMGET', KEYS.feed, 'seq', 'last')
  local event, seq = newest_event(KEYS.events, feed[1])
  local reply = { ledger, feed[1] or '', feed[2] or '', event, seq }
  for _, text in ipairs(redis.call('HGETALL', KEYS.balance)) do
    reply[#reply + 1] = text
  end
  return reply
end

redis.register_function({
  function_name = 'corrente_audit_anchor', callback = audit_anchor, flags = { 'no-writes' }
})
