-- Shared by the functions that move money (docs/contract/balance-and-ledger.md#entries). The ledger of a seller and mode is
-- a stream; the sums of its postings are a hash. Both are always written together.
--
-- A movement is {kind ('' = no money moves), resource_type, arguments, first, count}: its postings are `count` pairs
-- (bucket, amount) in `arguments` from `first` on.

-- The most a bucket may hold, positive or negative: beyond it, neither Lua nor readers of the balance have exact centavos.
local balance_max = 2 ^ 53 - 1

-- Whether `available` is at least `minimum` ('' = anything).
local function is_available(balance, minimum)
  return minimum == '' or tonumber(redis.call('HGET', balance, 'available') or '0') >= tonumber(minimum)
end

-- The position of the first argument after a movement's postings.
local function after_postings(movement)
  return movement.first + movement.count * 2
end

-- The buckets after a movement, as numbers: those it moves and those that entries show; nil if one would exceed
-- `balance_max`. Raises an error if an amount is not an integer. Call it before the first write.
local function balance_after(balance, movement)
  local arguments, last = movement.arguments, after_postings(movement) - 1
  local buckets = { 'available', 'reserve', 'pending_withdraw', 'pending_refund' }
  for i = movement.first, last, 2 do
    if not string.match(arguments[i + 1], '^%-?%d+$') then
      error('an amount of a movement is not an integer')
    end
    buckets[#buckets + 1] = arguments[i]
  end
  local after = {}
  for i, amount in ipairs(redis.call('HMGET', balance, unpack(buckets))) do
    after[buckets[i]] = tonumber(amount or '0')
  end
  for i = movement.first, last, 2 do
    local sum = after[arguments[i]] + tonumber(arguments[i + 1])
    if math.abs(sum) > balance_max then
      return nil
    end
    after[arguments[i]] = sum
  end
  return after
end

local function count_entry(balance, gained, resource_type)
  local available = gained.available or 0
  if available > 0 then
    redis.call('HINCRBY', balance, 'credits', 1)
  elseif available < 0 then
    redis.call('HINCRBY', balance, 'debits', 1)
  end
  if gained.reserve then
    redis.call('HINCRBY', balance, 'reserve_entries', 1)
  end
  if resource_type == 'withdrawal' then
    redis.call('HINCRBY', balance, 'withdrawal_entries', 1)
  end
  return redis.call('HINCRBY', balance, 'entries', 1)
end

-- Writes one movement: the buckets by HINCRBY, then the entry with the resulting balance. Returns the entry's id; does
-- nothing if no money moves.
--   money:  {balance, ledger, after: the result of balance_after}
--   event:  the entry id of the event in the same commit ('' = none)
local function move_money(money, resource_id, event, movement)
  if movement.kind == '' then
    return nil
  end
  local arguments = movement.arguments
  local postings = {}
  local gained = {}
  for i = movement.first, after_postings(movement) - 1, 2 do
    redis.call('HINCRBY', money.balance, arguments[i], arguments[i + 1])
    postings[#postings + 1] = arguments[i] .. ':' .. arguments[i + 1]
    gained[arguments[i]] = tonumber(arguments[i + 1])
  end
  local seq = count_entry(money.balance, gained, movement.resource_type)
  local after = money.after
  return redis.call(
    'XADD', money.ledger, '*', 'seq', seq, 'kind', movement.kind, 'resource_type', movement.resource_type,
    'resource', resource_id, 'event', event, 'postings', table.concat(postings, ' '),
    'balance', 'available:' .. integer(after.available) .. ' reserve:' .. integer(after.reserve)
      .. ' pending_withdraw:' .. integer(after.pending_withdraw)
      .. ' pending_refund:' .. integer(after.pending_refund)
  )
end
