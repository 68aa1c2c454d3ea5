-- Shared by the functions that close days. A closing is an entry of a stream whose id is its day, so no day is written twice.

-- Whether the stream has a closing of this day or a later one.
local function is_closed(closings, entry)
  local last = redis.call('XREVRANGE', closings, '+', '-', 'COUNT', 1)[1]
  return last ~= nil and tonumber(string.match(last[1], '^%d+')) >= tonumber(string.match(entry, '^%d+'))
end

-- Whether a process with a higher fence has written in the partition; if not, remembers this one.
local function is_outfenced(state, fence)
  local known = tonumber(redis.call('HGET', state, 'fence') or '0')
  if known > tonumber(fence) then
    return true
  end
  redis.call('HSET', state, 'fence', fence)
  return false
end
