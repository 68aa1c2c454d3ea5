-- Shared by the functions of the inbox: what its notices take in a partition. A hash holds the bytes of each notice by its
-- id, and their sums: `open` of those that are not processed, `done` of those that are.

-- Counts a notice's bytes in another sum. One that was recorded before bytes were counted has none.
local function move_inbox_bytes(bytes, id, from, to)
  local size = redis.call('HGET', bytes, id)
  if size then
    redis.call('HINCRBY', bytes, from, '-' .. size)
    redis.call('HINCRBY', bytes, to, size)
  end
end

-- A notice is processed: from now on it may give way to others, where it is known what that frees.
local function close_notice(unprocessed, done, bytes, id)
  if redis.call('ZREM', unprocessed, id) == 1 then
    move_inbox_bytes(bytes, id, 'open', 'done')
  end
  if redis.call('HEXISTS', bytes, id) == 1 then
    redis.call('ZADD', done, 0, id)
  end
end

-- A notice waits, perhaps once more.
local function reopen_notice(unprocessed, done, bytes, id)
  if redis.call('ZADD', unprocessed, 0, id) == 1 then
    move_inbox_bytes(bytes, id, 'done', 'open')
  end
  redis.call('ZREM', done, id)
end

-- Forgets the bytes of a notice that is gone.
local function drop_inbox_bytes(bytes, id, sum)
  local size = redis.call('HGET', bytes, id)
  if size then
    redis.call('HINCRBY', bytes, sum, '-' .. size)
    redis.call('HDEL', bytes, id)
  end
end
