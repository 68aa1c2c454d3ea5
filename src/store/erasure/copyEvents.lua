-- Copies a range of a feed's events to another stream, under the same ids, some with other data.
-- ARGV.expiry_millis: the copy ends by itself if nobody goes on with it
-- ARGV_FROM.replaced: pairs (entry id, data)
-- Reply {copied}
local function copy_events(keys, args)
  check_pairs(args, ARGV_FROM.replaced)
  local data = {}
  for i = ARGV_FROM.replaced, #args, 2 do
    data[args[i]] = args[i + 1]
  end
  local entries = redis.call('XRANGE', KEYS.events, ARGV.first, ARGV.last)
  for _, entry in ipairs(entries) do
    local fields = entry[2]
    fields[10] = data[entry[1]] or fields[10]
    redis.call('XADD', KEYS.copy, entry[1], unpack(fields))
  end
  redis.call('PEXPIRE', KEYS.copy, ARGV.expiry_millis)
  return { #entries }
end

redis.register_function('corrente_copy_events', copy_events)
