-- Ciphertexts that are written anew under the current key (docs/operations.md#key-rotation).

-- Replaces a ciphertext in a text of a hash, if it is still there. All else of the text may have changed meanwhile and stays.
--   change: field, expected and replacement (the ciphertext and the new one, with what surrounds them where they are a part of the
--     text), isVersioned (the hash counts it as a version, so that whoever has decided on the text before decides again),
--     sellerId (whose changes others are told of; absent: nobody is told)
-- Reply {'resealed'}
-- Refusals {'stale'}: the ciphertext is no longer there, or the hash is gone
function encryption.reseal_text(key, change)
  local text = redis.call('HGET', key.hash, change.field)
  if not text then
    return { 'stale' }
  end
  local first, last = string.find(text, change.expected, 1, true)
  if not first then
    return { 'stale' }
  end
  local resealed = string.sub(text, 1, first - 1) .. change.replacement .. string.sub(text, last + 1)
  redis.call('HSET', key.hash, change.field, resealed)
  if change.isVersioned then
    redis.call('HINCRBY', key.hash, 'version', 1)
  end
  if change.sellerId then
    redis.call('PUBLISH', key_names.sellers_changed(), change.sellerId)
  end
  return { 'resealed' }
end

-- Replaces the ciphertext of a PIX key's value if it is still as it was read, and the hash by which duplicates are found.
--   change: id, expected, replacement, valueHash
-- Reply {'resealed'}
-- Refusals {'stale'}: the value has changed, or the key is gone
function encryption.reseal_pix_key(key, change)
  local record = redis.call('HMGET', key.pixKey, 'value', 'value_hash')
  if record[1] ~= change.expected then
    return { 'stale' }
  end
  redis.call('HSET', key.pixKey, 'value', change.replacement, 'value_hash', change.valueHash)
  -- A refused or removed key holds no value: another key may have it by now.
  if record[2] and redis.call('HGET', key.values, record[2]) == change.id then
    redis.call('HDEL', key.values, record[2])
    redis.call('HSET', key.values, change.valueHash, change.id)
  end
  return { 'resealed' }
end

-- Replaces a ciphertext of a set if it is still there.
--   change: expected, replacement
-- Reply {'resealed'}
-- Refusals {'stale'}: it was used or removed
function encryption.reseal_member(key, change)
  if redis.call('SISMEMBER', key.set, change.expected) == 0 then
    return { 'stale' }
  end
  redis.call('SADD', key.set, change.replacement)
  redis.call('SREM', key.set, change.expected)
  return { 'resealed' }
end

-- Counts the documents of customers in a page of a feed by the key that they are sealed with.
--   change: after (the entry before the page; absent: from the beginning), pageEntries
-- Reply the last entry of the page ('' = the page is empty), then for each key its id, how many entries, and the newest of them
function encryption.count_sealed_events(key, change)
  local from = change.after and '(' .. change.after or '-'
  local page = redis.call('XRANGE', key.events, from, '+', 'COUNT', change.pageEntries)
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
