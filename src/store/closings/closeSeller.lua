-- Writes the closing of a seller's day, once.
-- ARGV.entry: the day as an entry id
-- Reply {'applied'}: now, or before
-- Refusals {'stale'}: a process with a higher fence closes days
local function close_seller(keys, args)
  if is_outfenced(KEYS.state, ARGV.fence) then
    return { 'stale' }
  end
  if not is_closed(KEYS.closings, ARGV.entry) then
    redis.call('XADD', KEYS.closings, ARGV.entry, 'movements', ARGV.movements, 'closing', ARGV.closing)
  end
  return { 'applied' }
end

redis.register_function('corrente_close_seller', close_seller)
