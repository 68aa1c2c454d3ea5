-- Replaces a text of a hash if it is still as it was read. A hash with a version counts it, so that whoever has decided on
-- the text before decides again.
-- ARGV.charge: the charge that is noted as being erased ('' = none)
-- ARGV.lookup_digest: by which that charge is no longer found; absent = none
-- Reply {'erased'}
-- Refusals {'stale'}: the text has changed, or the hash is gone
local function erase_text(keys, args)
  if redis.call('HGET', KEYS.hash, ARGV.field) ~= ARGV.expected then
    return { 'stale' }
  end
  if ARGV.charge ~= '' then
    redis.call('ZADD', KEYS.erasing, 0, ARGV.charge)
  end
  if ARGV.lookup_digest then
    redis.call('ZREM', series.key_beside('lookup', KEYS.erasing), ARGV.lookup_digest .. ' ' .. ARGV.charge)
  end
  redis.call('HSET', KEYS.hash, ARGV.field, ARGV.replacement)
  if redis.call('HEXISTS', KEYS.hash, 'version') == 1 then
    redis.call('HINCRBY', KEYS.hash, 'version', 1)
  end
  return { 'erased' }
end

redis.register_function('corrente_erase_text', erase_text)
