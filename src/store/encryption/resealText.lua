-- Replaces a ciphertext in a text of a hash, if it is still there. All else of the text may have changed meanwhile and stays.
-- ARGV.expected, ARGV.replacement: the ciphertext and the new one, with what surrounds them where they are a part of the text
-- ARGV.counts: '1'/'0', whether the hash counts it as a version, so that whoever has decided on the text before decides again
-- ARGV.sellers_channel, ARGV.seller_id: whom to notify of a changed seller; absent = nobody
-- Reply {'resealed'}
-- Refusals {'stale'}: the ciphertext is no longer there, or the hash is gone
local function reseal_text(keys, args)
  local text = redis.call('HGET', KEYS.hash, ARGV.field)
  if not text then
    return { 'stale' }
  end
  local first, last = string.find(text, ARGV.expected, 1, true)
  if not first then
    return { 'stale' }
  end
  redis.call('HSET', KEYS.hash, ARGV.field, string.sub(text, 1, first - 1) .. ARGV.replacement .. string.sub(text, last + 1))
  if ARGV.counts == '1' then
    redis.call('HINCRBY', KEYS.hash, 'version', 1)
  end
  if ARGV.sellers_channel and ARGV.seller_id then
    redis.call('PUBLISH', ARGV.sellers_channel, ARGV.seller_id)
  end
  return { 'resealed' }
end

redis.register_function('corrente_reseal_text', reseal_text)
