-- Moves the base of a test ledger on to one of its entries, and deletes the entries up to it, or does nothing.
-- ARGV.expected_entry: the base's entry that it was decided on ('' = none)
-- ARGV.entry: the last that goes
-- ARGV.next_entry: the least id after it
-- ARGV_FROM.fields: the base's other fields, pairs (name, value)
-- Reply {'trimmed', how many entries went}
-- Refusals {'stale'}: the base is another, or the ledger lacks the entry
local function trim_test_ledger(keys, args)
  check_test(KEYS.ledger)
  check_pairs(args, ARGV_FROM.fields)
  local is_as_decided = (redis.call('HGET', KEYS.base, 'entry') or '') == ARGV.expected_entry
  if not is_as_decided or not redis.call('XRANGE', KEYS.ledger, ARGV.entry, ARGV.entry)[1] then
    return { 'stale' }
  end

  local fields = { 'entry', ARGV.entry }
  for i = ARGV_FROM.fields, #args do
    fields[#fields + 1] = args[i]
  end
  redis.call('HSET', KEYS.base, unpack(fields))
  count_trimming(KEYS.base)
  local trimmed = redis.call('XTRIM', KEYS.ledger, 'MINID', '=', ARGV.next_entry)
  if redis.call('XLEN', KEYS.ledger) == 0 then
    redis.call('DEL', KEYS.deleted)
  else
    redis.call('ZREMRANGEBYSCORE', KEYS.deleted, '-inf', '(' .. string.match(ARGV.entry, '^%d+'))
  end
  return { 'trimmed', trimmed }
end

redis.register_function('corrente_trim_test_ledger', trim_test_ledger)
