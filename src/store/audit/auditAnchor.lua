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

local function audit_anchor(keys)
  local ledger = newest(KEYS.ledger)
  local feed = redis.call('HMGET', KEYS.feed, 'seq', 'last')
  local event, seq = newest(KEYS.events)
  local reply = { ledger, feed[1] or '', feed[2] or '', event, seq }
  for _, text in ipairs(redis.call('HGETALL', KEYS.balance)) do
    reply[#reply + 1] = text
  end
  return reply
end

redis.register_function({
  function_name = 'corrente_audit_anchor', callback = audit_anchor, flags = { 'no-writes' }
})
