-- Applies one transition of a withdrawal: hash, indexes, event, deliveries owed, money, day and timers, or nothing. At an end
-- the seller may request the next one, and the Idempotency-Key begins to run out.
-- KEYS  1 withdrawal  2 index of the old status  3 index of the new one
--       4 the partition's index of the old status  5 the partition's index of the new one
--       6 events  7 feed  8 subscriptions  9 timers  10 due  11 day  12 balance  13 ledger  14 idempotency record
--       15 seller
-- ARGV  1 withdrawal id  2 expected version  3 old status  4 new status  5 document  6 event type
--       7 event retention ms  8 hint channel  9 wake channel  10 queue prefix
--       11 is over ('1'/'0')  12 centavos that no longer count in its day  13 idempotency retention ms
--       14 number of timers to set  15 number of timers to drop
--       16 version of the seller that it was decided on ('' = whatever)  17 a movement (prelude_money.lua),
--       then pairs (name, due ms), then names
-- Reply {'applied'}
-- Refusals {'missing'} {'stale'}: status or version moved on, or the seller's did
--       {'overflow'}: a balance would pass what it can hold
local function end_withdrawal(keys, args)
  if redis.call('HGET', keys[12], 'open') == args[1] then
    redis.call('HSET', keys[12], 'open', '')
  end
  if args[12] ~= '0' and redis.call('EXISTS', keys[11]) == 1 then
    redis.call('HINCRBY', keys[11], 'value', '-' .. args[12])
  end
  redis.call('PEXPIRE', keys[14], args[13])
end

local function transition_withdrawal(keys, args)
  local now = now_millis()
  local record = redis.call('HMGET', keys[1], 'status', 'version', 'events')
  if not record[1] then
    return { 'missing' }
  end
  if record[1] ~= args[3] or record[2] ~= args[2] then
    return { 'stale' }
  end
  if args[16] ~= '' and (redis.call('HGET', keys[15], 'version') or '0') ~= args[16] then
    return { 'stale' }
  end
  local version = integer(tonumber(args[2]) + 1)
  local timers_from, timers = after_movement(args, 17), tonumber(args[14])
  local dropped = tonumber(args[15])
  check_timers(args, timers_from, timers)
  local after = args[17] == '' or balance_after(keys[12], args, 17)
  if not after then
    return { 'overflow' }
  end

  redis.call('HSET', keys[1], 'document', args[5])
  local entry = append_event(
    { events = keys[6], feed = keys[7], subscriptions = keys[8], hint = args[8] },
    { type = args[6], resource = args[1], internal = '0', data = args[5] },
    { due = keys[10], wake = args[9], queue_prefix = args[10] },
    tonumber(args[7]), now
  )
  redis.call(
    'HSET', keys[1], 'status', args[4], 'version', version,
    'events', record[3] .. ' ' .. entry
  )
  redis.call('ZREM', keys[2], args[1])
  redis.call('ZADD', keys[3], 0, args[1])
  redis.call('ZREM', keys[4], args[1])
  redis.call('ZADD', keys[5], 0, args[1])
  move_money({ balance = keys[12], ledger = keys[13], after = after }, args[1], entry, args, 17)
  if args[11] == '1' then
    end_withdrawal(keys, args)
  end
  change_timers(keys[9], args[9], args[1], args, timers_from, timers, dropped)
  return { 'applied' }
end

redis.register_function('corrente_transition_withdrawal', transition_withdrawal)
