-- Moves what is owed to one destination to an earlier time, but for what is leased: an attempt is under way there.
-- KEYS  1 queue  2 due
-- ARGV  1 destination id  2 delivery prefix of the destination  3 wake channel  4 ms, then entry ids
-- Reply how many were moved
local function shift_deliveries(keys, args)
  local moved = 0
  for i = 5, #args do
    local due = redis.call('ZSCORE', keys[1], args[i])
    if due and redis.call('HGET', args[2] .. args[i], 'state') ~= 'leased' then
      redis.call('ZADD', keys[1], integer(math.max(0, tonumber(due) - tonumber(args[4]))), args[i])
      moved = moved + 1
    end
  end
  if moved > 0 then
    local soonest = redis.call('ZRANGE', keys[1], 0, 0, 'WITHSCORES')
    redis.call('ZADD', keys[2], soonest[2], args[1])
    redis.call('PUBLISH', args[3], 'd ' .. args[1])
  end
  return moved
end

redis.register_function('corrente_shift_deliveries', shift_deliveries)
