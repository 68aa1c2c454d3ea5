-- Deletes a webhook endpoint (spec 3); its record stays for as long as something may be owed to it.
-- It joins the destinations that no list names any more, by which what is owed to it is found.
-- KEYS  1 destination  2 endpoints  3 subscriptions  4 stats  5 postbacks
-- ARGV  1 endpoint id  2 operation  3 retention ms
-- Reply {'deleted'}
-- Refusals {'missing'}
local function delete_endpoint(keys, args)
  if redis.call('ZREM', keys[2], args[1]) == 0 then
    -- This very operation deleted it, and its reply was lost.
    local is_ours = redis.call('HGET', keys[1], 'deleted_by') == args[2]
    return { is_ours and 'deleted' or 'missing' }
  end
  redis.call('HSET', keys[1], 'enabled', '0', 'deleted_by', args[2])
  redis.call('PEXPIRE', keys[1], args[3])
  redis.call('HDEL', keys[3], args[1])
  local now = now_millis()
  redis.call('ZADD', keys[5], integer(now), args[1])
  redis.call('ZREMRANGEBYSCORE', keys[5], '-inf', '(' .. integer(now - tonumber(args[3])))
  redis.call('DEL', keys[4])
  return { 'deleted' }
end

redis.register_function('corrente_delete_endpoint', delete_endpoint)
