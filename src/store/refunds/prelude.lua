-- Shared by the functions that create refunds.
--
-- A new refund is a table of
--   refund, index, status_index, refunds_of: keys
--   id, transaction, seller, mode, status, account ('' = none), held_from_reserve
--   idempotency_route, idempotency_key: of its request; both absent where it began at the acquirer

-- Writes the fields and indexes of a new refund; its document is written before.
--   entry: of its event
local function write_refund(new, entry)
  redis.call(
    'HSET', new.refund, 'seller', new.seller, 'mode', new.mode, 'transaction', new.transaction, 'status', new.status,
    'version', 1, 'events', entry, 'held_from_reserve', new.held_from_reserve
  )
  if new.account ~= '' then
    redis.call('HSET', new.refund, 'account', new.account)
  end
  if new.idempotency_key then
    redis.call('HSET', new.refund, 'idempotency_route', new.idempotency_route, 'idempotency_key', new.idempotency_key)
  end
  redis.call('ZADD', new.index, 0, new.id)
  redis.call('ZADD', new.status_index, 0, new.id)
  redis.call('ZADD', new.refunds_of, 0, new.id)
end

-- A refund's part in its charge's money: the centavos of its refunds under way after a change.
local function write_refunding(transaction, refunding, change)
  redis.call('HSET', transaction, 'refunding', integer(refunding + tonumber(change)))
end
