-- Reads entries of a feed without their data, which is most of their size.
-- ARGV.entries_max: entries read of each range
-- ARGV_FROM.ranges: pairs (first, last) as XRANGE takes them
-- Reply of each range: {entry id, seq, type, resource, entry id, ...}
local function audit_events(keys, args)
  local reply = {}
  for i = ARGV_FROM.ranges, #args, 2 do
    local range = {}
    for _, entry in ipairs(redis.call('XRANGE', KEYS.events, args[i], args[i + 1], 'COUNT', ARGV.entries_max)) do
      range[#range + 1] = entry[1]
      for place = 2, 6, 2 do
        range[#range + 1] = entry[2][place] or ''
      end
    end
    reply[#reply + 1] = range
  end
  return reply
end

redis.register_function({
  function_name = 'corrente_audit_events', callback = audit_events, flags = { 'no-writes' }
})
