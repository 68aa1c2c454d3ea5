-- Money (docs/contract/balance-and-ledger.md#entries). The ledger of a seller and mode is a stream; the sums of its postings
-- are a hash. Both are always written together.
--
-- A movement is {kind, resourceType, postings: {bucket, amount}, release {day, charges} where it moves `reserve`}; nil where no
-- money moves.

-- The most a bucket may hold, positive or negative: beyond it, neither Lua nor readers of the balance have exact centavos.
local balance_max = 2 ^ 53 - 1

-- Whether `available` is at least `minimum` (nil = anything).
function ledger.is_available(balance, minimum)
  return not minimum or tonumber(redis.call('HGET', balance, 'available') or '0') >= minimum
end

-- The buckets after a movement: those it moves and those that entries show; nil if one would exceed what it can hold. Raises an
-- error if an amount is not an integer. Call it before the first write.
function ledger.balance_after(balance, movement)
  if not movement then
    return {}
  end
  -- The last two are no buckets: `alerts.watch_money` compares with them.
  local buckets = { 'available', 'reserve', 'pending_withdraw', 'pending_refund', 'alert_below', 'alert_large' }
  for _, posting in ipairs(movement.postings) do
    if type(posting.amount) ~= 'number' or posting.amount % 1 ~= 0 then
      error('an amount of a movement is not an integer')
    end
    buckets[#buckets + 1] = posting.bucket
  end
  local after = {}
  for i, amount in ipairs(redis.call('HMGET', balance, unpack(buckets))) do
    after[buckets[i]] = tonumber(amount or '0')
  end
  for _, posting in ipairs(movement.postings) do
    local sum = after[posting.bucket] + posting.amount
    if math.abs(sum) > balance_max then
      return nil
    end
    after[posting.bucket] = sum
  end
  return after
end

local function count_entry(balance, gained, resource_type)
  local available = gained.available or 0
  if available > 0 then
    redis.call('HINCRBY', balance, 'credits', '1')
  elseif available < 0 then
    redis.call('HINCRBY', balance, 'debits', '1')
  end
  if gained.reserve then
    redis.call('HINCRBY', balance, 'reserve_entries', '1')
  end
  if resource_type == 'withdrawal' then
    redis.call('HINCRBY', balance, 'withdrawal_entries', '1')
  end
  return redis.call('HINCRBY', balance, 'entries', '1')
end

local function add_to(hash, field, gain)
  if gain ~= 0 and redis.call('HINCRBY', hash, field, integer(gain)) == 0 then
    redis.call('HDEL', hash, field)
  end
end

-- Notes in the calendar of releases what the reserve of a charge gains. A calendar whose sum is not what the reserve holds was left
-- behind by a build without calendars, or never begun: its days are not known until nothing is held.
local function note_release(releases, release, gain, held_before)
  if tonumber(redis.call('HGET', releases, 'held') or '0') ~= held_before then
    redis.call('DEL', releases)
    if held_before ~= 0 then
      return
    end
  end
  add_to(releases, 'held', gain)
  add_to(releases, release.day, gain)
  add_to(releases, release.day .. ':charges', release.charges)
end

-- Reads the calendar of releases and what it must add up to, in one step.
-- Reply {`reserve` of the balance, then the calendar's names and values}
function ledger.releases(key)
  local reply = { redis.call('HGET', key.balance, 'reserve') or '0' }
  for _, text in ipairs(redis.call('HGETALL', key.releases)) do
    reply[#reply + 1] = text
  end
  return reply
end

-- Writes a movement: the buckets by HINCRBY, then the entry with the resulting balance. Returns the entry's id; does nothing if
-- no money moves.
--   key: balance, ledger, releases
--   after: the result of balance_after
--   event: the entry of the event in the same commit (nil = none)
function ledger.move(key, movement, after, resource_id, event)
  if not movement then
    return nil
  end
  local postings = {}
  local gained = {}
  for i, posting in ipairs(movement.postings) do
    local amount = integer(posting.amount)
    redis.call('HINCRBY', key.balance, posting.bucket, amount)
    postings[i] = posting.bucket .. ':' .. amount
    gained[posting.bucket] = posting.amount
  end
  if movement.release and gained.reserve then
    note_release(key.releases, movement.release, gained.reserve, after.reserve - gained.reserve)
  end
  local seq = count_entry(key.balance, gained, movement.resourceType)
  local entry = redis.call(
    'XADD', key.ledger, '*', 'seq', seq, 'kind', movement.kind, 'resource_type', movement.resourceType,
    'resource', resource_id, 'event', event or '', 'postings', table.concat(postings, ' '),
    'balance', 'available:' .. integer(after.available) .. ' reserve:' .. integer(after.reserve)
      .. ' pending_withdraw:' .. integer(after.pending_withdraw)
      .. ' pending_refund:' .. integer(after.pending_refund)
  )
  alerts.watch_money(key.balance, movement, gained, after, resource_id, entry)
  return entry
end
