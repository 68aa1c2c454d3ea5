-- Counts the documents of customers in a page of a feed by the key that they are sealed with.
-- ARGV.after: the entry before the page ('' = from the beginning)
-- Reply the last entry of the page ('' = the page is empty), then for each key its id, how many entries, and the newest of them
local function count_sealed_events(keys, args)
  local from = ARGV.after == '' and '-' or '(' .. ARGV.after
  local page = redis.call('XRANGE', KEYS.events, from, '+', 'COUNT', ARGV.page)
  local counts, newest = {}, {}
  for _, entry in ipairs(page) do
    for at = 2, #entry[2], 2 do
      local key_id = string.match(entry[2][at], '"document":"enc:v2:([^:"]*):')
      if key_id then
        counts[key_id] = (counts[key_id] or 0) + 1
        newest[key_id] = entry[1]
      end
    end
  end
  local reply = { #page > 0 and page[#page][1] or '' }
  for key_id, count in pairs(counts) do
    reply[#reply + 1] = key_id
    reply[#reply + 1] = count
    reply[#reply + 1] = newest[key_id]
  end
  return reply
end

redis.register_function({
  function_name = 'corrente_count_sealed_events', callback = count_sealed_events, flags = { 'no-writes' }
})
