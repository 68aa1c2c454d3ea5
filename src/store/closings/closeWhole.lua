-- Writes the closing of a day over all sellers, once.
-- ARGV.entry: the day as an entry id
-- ARGV.partner: '' = no books to compare with
-- Reply {'applied'}: now, or before
-- Refusals {'stale'}: another process closes days
local function close_whole(keys, args)
  if redis.call('HGET', KEYS.lease, 'fence') ~= ARGV.fence then
    return { 'stale' }
  end
  if not is_closed(KEYS.closings, ARGV.entry) then
    redis.call(
      'XADD', KEYS.closings, ARGV.entry, 'movements', ARGV.movements, 'closing', ARGV.closing,
      'partner', ARGV.partner, 'created_at', integer(now_millis())
    )
  end
  return { 'applied' }
end

redis.register_function('corrente_close_whole', close_whole)
