-- By what operators find sellers (docs/decisions/0085-search.md). The field `found_by` of a
-- seller has its terms, separated by spaces, and the index of its partition `<term> <seller>` for each.

-- Makes the index agree with the record, which had the terms `before`.
function seller_lookup.set(seller, id, before)
  local index = key_names.seller_lookup(tag_of(seller))
  for term in string.gmatch(before or '', '%S+') do
    redis.call('ZREM', index, term .. ' ' .. id)
  end
  for term in string.gmatch(redis.call('HGET', seller, 'found_by') or '', '%S+') do
    redis.call('ZADD', index, '0', term .. ' ' .. id)
  end
end

-- Sets by what a seller is found, unless it has changed since it was read.
--   change: id, version (as its record has it), foundBy
-- Reply {'indexed'}
-- Refusals {'stale'}: the version has changed, or there is no such seller
function seller_lookup.index(key, change)
  local record = redis.call('HMGET', key.seller, 'version', 'found_by', 'status')
  if not record[3] or (record[1] or '') ~= change.version then
    return { 'stale' }
  end
  redis.call('HSET', key.seller, 'found_by', change.foundBy)
  seller_lookup.set(key.seller, change.id, record[2])
  return { 'indexed' }
end
