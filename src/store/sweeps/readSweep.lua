-- Reads the sweeps of an account, and the clock that dates them.
-- Reply {now, began, completed_to, long_began, wanted, unread}: ms and a number of items; '' where there has been none
local function read_sweep(keys, args)
  local found = redis.call('HMGET', KEYS.sweep, 'began', 'completed_to', 'long_began', 'wanted', 'unread')
  local reply = { integer(now_millis()) }
  for i = 1, 5 do
    reply[i + 1] = found[i] or ''
  end
  return reply
end

redis.register_function('corrente_read_sweep', read_sweep)
