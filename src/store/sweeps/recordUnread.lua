-- Records what a sweep of an account's books could not read, in place of what the one before it could not.
-- ARGV.more: how many it met besides these
-- ARGV.items: digest, text, digest, text, …; those that an operator has accepted are left out
-- Reply {'applied', open}: how many are open, which may be more than are remembered
-- Refusals {'stale'}: another process has taken the lease since
local function record_unread(keys, args)
  if redis.call('HGET', KEYS.sweep, 'fence') ~= ARGV.fence then
    return { 'stale' }
  end
  local open = tonumber(ARGV.more)
  local remembered = {}
  for i = ARGV_FROM.items, #args, 2 do
    if redis.call('HEXISTS', KEYS.accepted, args[i]) == 0 then
      open = open + 1
      if #remembered < 2 * tonumber(ARGV.remembered_max) then
        remembered[#remembered + 1] = args[i]
        remembered[#remembered + 1] = args[i + 1]
      end
    end
  end
  redis.call('DEL', KEYS.unread)
  if #remembered > 0 then
    redis.call('HSET', KEYS.unread, unpack(remembered))
  end
  redis.call('HSET', KEYS.sweep, 'unread', integer(open))
  return { 'applied', integer(open) }
end

redis.register_function('corrente_record_unread', record_unread)
