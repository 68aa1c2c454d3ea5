-- Commits a change of a charge: hash, status indexes, event, deliveries owed, money and timers, or nothing. Where the old
-- and the new status are the same, the charge gains a fact (a partial refund, an exception, a released reserve).
-- KEYS  1 transaction  2 index of the old status  3 index of the new one  4 events  5 feed  6 subscriptions
--       7 timers  8 due  9 postback destination (any key of the slot where there is none)  10 postbacks
--       11 balance  12 ledger
-- ARGV  1 transaction id  2 expected version  3 old status  4 new status  5 document  6 event type ('' = no event)
--       7 internal  8 event retention ms  9 hint channel  10 wake channel  11 queue prefix
--       12 postback destination id ('' = none)  13 postback url  14 seller id  15 mode
--       16 number of timers to set  17 number of timers to drop  18 a movement (prelude_money.lua),
--       then pairs (name, due ms), then names
-- Reply {'applied'}
-- Refusals {'missing'}: not there, or another seller's or mode's  {'stale'}: status or version moved on
--       {'overflow'}: a balance would pass what it can hold
local function owe_postback(keys, args, outbox, entry, now)
  redis.call('HSET', keys[9], 'seller', args[14], 'mode', args[15], 'target', 'postback', 'url', args[13])
  redis.call('PEXPIRE', keys[9], args[8])
  redis.call('ZADD', keys[10], integer(now), args[12])
  redis.call('ZREMRANGEBYSCORE', keys[10], '-inf', '(' .. integer(now - tonumber(args[8])))
  owe(outbox, args[12], entry, now)
end

local function append_transition(keys, args, now)
  if args[6] == '' then
    return ''
  end
  local outbox = { due = keys[8], wake = args[10], queue_prefix = args[11] }
  local entry = append_event(
    { events = keys[4], feed = keys[5], subscriptions = keys[6], hint = args[9] },
    { type = args[6], resource = args[1], internal = args[7], data = args[5] },
    outbox, tonumber(args[8]), now
  )
  if args[12] ~= '' and args[7] == '0' then
    owe_postback(keys, args, outbox, entry, now)
  end
  return entry
end

local function transition_transaction(keys, args)
  local now = now_millis()
  local record = redis.call('HMGET', keys[1], 'status', 'version', 'events', 'seller', 'mode')
  if not record[1] or record[4] ~= args[14] or record[5] ~= args[15] then
    return { 'missing' }
  end
  if record[1] ~= args[3] or record[2] ~= args[2] then
    return { 'stale' }
  end
  local version = integer(tonumber(args[2]) + 1)
  local timers_from, timers = after_movement(args, 18), tonumber(args[16])
  local dropped = tonumber(args[17])
  check_timers(args, timers_from, timers)
  local after = args[18] == '' or balance_after(keys[11], args, 18)
  if not after then
    return { 'overflow' }
  end

  redis.call('HSET', keys[1], 'document', args[5])
  local entry = append_transition(keys, args, now)
  local events = entry == '' and record[3] or record[3] .. ' ' .. entry
  redis.call(
    'HSET', keys[1], 'status', args[4], 'version', version, 'events', events
  )
  if args[3] ~= args[4] then
    redis.call('ZREM', keys[2], args[1])
    redis.call('ZADD', keys[3], 0, args[1])
  end
  move_money({ balance = keys[11], ledger = keys[12], after = after }, args[1], entry, args, 18)
  change_timers(keys[7], args[10], args[1], args, timers_from, timers, dropped)
  return { 'applied' }
end

redis.register_function('corrente_transition_transaction', transition_transaction)
