-- Marks a day as closed in a partition, and writes its sums where something moved, once.
-- ARGV.entry: the day as an entry id
-- ARGV.movements: '' = nothing moved: the last sums stand
-- Reply {'applied'}: now, or before
-- Refusals {'stale'}: a process with a higher fence closes days
local function close_part(keys, args)
  if is_outfenced(KEYS.state, ARGV.fence) then
    return { 'stale' }
  end
  if (redis.call('HGET', KEYS.state, ARGV.mode) or '') >= ARGV.day then
    return { 'applied' }
  end
  if ARGV.movements ~= '' and not is_closed(KEYS.parts, ARGV.entry) then
    redis.call('XADD', KEYS.parts, ARGV.entry, 'movements', ARGV.movements, 'closing', ARGV.closing)
  end
  redis.call('HSET', KEYS.state, ARGV.mode, ARGV.day)
  return { 'applied' }
end

redis.register_function('corrente_close_part', close_part)
