-- Shared by the functions of the inbox: the bytes that notices take up in a partition (docs/contract/notices.md#capacity). A
-- hash holds the bytes of each notice by id, and two sums: `open`, not processed yet, and `done`, processed.

-- Moves a notice's bytes to the other sum. Notices recorded before bytes were counted have none.
local function move_inbox_bytes(bytes, id, from, to)
  local size = redis.call('HGET', bytes, id)
  if size then
    redis.call('HINCRBY', bytes, from, '-' .. size)
    redis.call('HINCRBY', bytes, to, size)
  end
end

-- Marks a notice as processed. It may be evicted from now on if its bytes are known.
local function close_notice(unprocessed, done, bytes, id)
  if redis.call('ZREM', unprocessed, id) == 1 then
    move_inbox_bytes(bytes, id, 'open', 'done')
  end
  if redis.call('HEXISTS', bytes, id) == 1 then
    redis.call('ZADD', done, 0, id)
  end
end

-- Marks a notice as open, perhaps again.
local function reopen_notice(unprocessed, done, bytes, id)
  if redis.call('ZADD', unprocessed, 0, id) == 1 then
    move_inbox_bytes(bytes, id, 'done', 'open')
  end
  redis.call('ZREM', done, id)
end

-- Subtracts the bytes of a deleted notice from a sum.
local function drop_inbox_bytes(bytes, id, sum)
  local size = redis.call('HGET', bytes, id)
  if size then
    redis.call('HINCRBY', bytes, sum, '-' .. size)
    redis.call('HDEL', bytes, id)
  end
end
