-- What an audit of a seller and mode goes by, read in one step: the sums and the entry up to which they count.
-- Reply {the ledger's newest entry ('' = none), the feed's seq and newest entry as its hash says ('' = none),
--       the newest event's entry ('' = none) and its seq, then the balance's names and values}
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
