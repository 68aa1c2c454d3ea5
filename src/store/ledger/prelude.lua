-- Shared by the functions that move money (decisions 3): a double-entry ledger of each seller and mode as a stream, and the
-- sums of its postings as a hash, always moved together.
--
-- A movement comes in ARGV as: kind ('' = no money moves), resource type, number of postings, then pairs (bucket, amount).

-- No bucket may pass it in either direction: above it neither Lua nor who reads the balance has whole centavos.
local balance_max = 2 ^ 53 - 1

-- Whether the balance can bear what `minimum` asks of `available`; '' asks nothing. Amounts stay below 2^53 in Lua.
local function is_available(balance, minimum)
  return minimum == '' or tonumber(redis.call('HGET', balance, 'available') or '0') >= tonumber(minimum)
end

-- Where the arguments after a movement begin.
local function after_movement(arguments, first)
  return first + 3 + tonumber(arguments[first + 2]) * 2
end

-- What a movement leaves in the buckets that it moves and in those that entries show, as numbers; nil where one would pass
-- `balance_max`. An error where an amount is no integer. Called before the first write.
local function balance_after(balance, arguments, first)
  local buckets = { 'available', 'reserve', 'pending_withdraw' }
  for i = first + 3, after_movement(arguments, first) - 1, 2 do
    if not string.match(arguments[i + 1], '^%-?%d+$') then
      error('an amount of a movement is no integer')
    end
    buckets[#buckets + 1] = arguments[i]
  end
  local after = {}
  for i, amount in ipairs(redis.call('HMGET', balance, unpack(buckets))) do
    after[buckets[i]] = tonumber(amount or '0')
  end
  for i = first + 3, after_movement(arguments, first) - 1, 2 do
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

-- Writes one movement: the buckets by HINCRBY, then the entry with what they came to. Does nothing where no money moves.
--   money:  {balance, ledger, after: what balance_after gave}
--   event:  the entry id of the event of the same commit ('' = none)
local function move_money(money, resource_id, event, arguments, first)
  if arguments[first] == '' then
    return
  end
  local postings = {}
  local gained = {}
  for i = first + 3, after_movement(arguments, first) - 1, 2 do
    redis.call('HINCRBY', money.balance, arguments[i], arguments[i + 1])
    postings[#postings + 1] = arguments[i] .. ':' .. arguments[i + 1]
    gained[arguments[i]] = tonumber(arguments[i + 1])
  end
  local seq = count_entry(money.balance, gained, arguments[first + 1])
  local after = money.after
  redis.call(
    'XADD', money.ledger, '*', 'seq', seq, 'kind', arguments[first], 'resource_type', arguments[first + 1],
    'resource', resource_id, 'event', event, 'postings', table.concat(postings, ' '),
    'balance', 'available:' .. integer(after.available) .. ' reserve:' .. integer(after.reserve)
      .. ' pending_withdraw:' .. integer(after.pending_withdraw)
  )
end
